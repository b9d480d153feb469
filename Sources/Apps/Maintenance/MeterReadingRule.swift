internal import Domain
internal import Engine
internal import Postgres
internal import Store

extension RecordRule {
  /// A meter cannot have been read in the future; a clock may be five minutes fast.
  static let meterReading = RecordRule { fields, _, _ in
    guard let text = fields["taken_at"]?.string else { return { _ in [:] } }
    let taken = try Instant(parsing: text)
    return { access in
      guard taken.microseconds <= (access.now + .seconds(300)).microseconds else {
        throw DomainError(.futureReading, "\(taken.rfc3339) is in the future")
      }
      return [:]
    }
  }
}
