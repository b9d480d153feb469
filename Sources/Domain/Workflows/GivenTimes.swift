/// The times that an actor gives for columns which a transition sets with `$given`, such as when work was completed that
/// is reported the day after.
package struct GivenTimes {
  private var times: [String: Instant] = [:]

  subscript(column: String) -> Instant? { times[column] }

  /// Reads the times of a request, and requires each to be possible.
  ///
  /// A time lies neither in the future nor before the record was created, nor before a time that an earlier transition has
  /// set and this one keeps: nobody completes what they have not started. A column without a given time gets the moment at
  /// which a device made the request, or the possible time that is next to it: the device's clock may be wrong.
  ///
  /// - Throws: `invalid_instant` for text that is no time, `invalid_input` for an impossible time; both name the column.
  init(
    _ request: TransitionRequest,
    _ transition: WorkflowTransition,
    _ record: RecordSnapshot,
    _ definition: WorkflowDefinition,
    now: Instant
  ) throws(DomainError) {
    guard transition.isTimed(by: request) else { return }
    let starts = Self.earlier(than: transition, definition).compactMap { column in
      record.fields[column]?.string.flatMap { try? Instant(parsing: $0) }.map { (column: column, time: $0) }
    }
    for column in transition.givenTimes {
      guard let value = request.fields[column], !value.isBlank else {
        if let made = request.madeAt { times[column] = min(now, starts.map(\.time).reduce(made, max)) }
        continue
      }
      let time: Instant
      do throws(DomainError) {
        time = try Instant(parsing: value.displayText)
      } catch {
        throw Self.refusal(column, error.message, error.hint, as: error.code)
      }
      guard time <= now else {
        throw Self.refusal(column, "\(time) is in the future", "give a time that has passed, or leave it out")
      }
      for start in starts where time < start.time { throw Self.refusal(column, time, before: start) }
      times[column] = time
    }
  }

  /// Requires that the times of a record from another system follow each other as the transitions to its status would
  /// have set them.
  ///
  /// - Parameters:
  ///   - times: the stated times by column, that of the creation among them.
  ///   - way: the transitions to the status. Times that others set come before.
  ///   - isDay: true if the time of a column is a whole day, in which the earlier time may lie.
  /// - Throws: `invalid_input` naming the column of a time before an earlier one.
  package static func requireOrder(
    _ times: [String: Instant],
    along way: [WorkflowTransition],
    _ definition: WorkflowDefinition,
    isDay: (String) -> Bool
  ) throws(DomainError) {
    var later = Set(way.flatMap(\.set).map(\.column))
    for transition in way {
      let set = Set(transition.set.map(\.column))
      let starts = earlier(than: transition, definition).filter { !later.contains($0) }
      for column in set.sorted() {
        guard let time = times[column] else { continue }
        for start in starts {
          guard let first = times[start], time < first else { continue }
          if isDay(column), time.microseconds(until: first) < 86_400_000_000 { continue }
          throw refusal(column, time, before: (column: start, time: first))
        }
      }
      later.subtract(set)
    }
  }

  /// Returns the columns whose times come before those of a transition, if a record has them: its creation, and what
  /// other transitions set and this one does not.
  static func earlier(than transition: WorkflowTransition, _ definition: WorkflowDefinition) -> [String] {
    let set = Set(transition.set.map(\.column))
    let times = definition.transitions.flatMap(\.set).filter { [.now, .given].contains($0.value) }.map(
      \.column
    )
    return ["created_at"] + Set(times).subtracting(set).sorted()
  }

  private static func refusal(
    _ column: String,
    _ time: Instant,
    before start: (column: String, time: Instant)
  ) -> DomainError {
    refusal(column, "\(time) is before \(start.column), which is \(start.time)", "give a later time")
  }

  private static func refusal(
    _ column: String,
    _ message: String,
    _ hint: String?,
    as code: ErrorCode = .invalidInput
  ) -> DomainError {
    DomainError(code, "\(column): \(message)", hint: hint, details: ["fields": .strings([column])])
  }
}

extension WorkflowTransition {
  /// The columns that must be read to check the times of a request.
  package func timesBefore(_ request: TransitionRequest, under definition: WorkflowDefinition) -> [String] {
    isTimed(by: request) ? GivenTimes.earlier(than: self, definition) : []
  }

  /// True if a request says when the transition happened.
  fileprivate func isTimed(by request: TransitionRequest) -> Bool {
    givenTimes.contains { request.fields[$0] != nil || request.madeAt != nil }
  }
}
