internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Takes the number of a new record: the next of a reserved block, or one claimed in the first round trip.
struct NumberClaim {
  /// The results of the first round trip.
  typealias Tickets = (claim: Ticket<NumberStore.Claim>, highest: Ticket<Int64>)

  /// The maximum number of claims if concurrent creations keep committing higher numbers.
  private static let attempts = 20

  private let type: RecordType
  private let rule: NumberRule
  private let company: UUID

  /// Nil for a type without numbers.
  init?(_ type: RecordType, company: UUID) {
    guard let rule = type.definition.number else { return nil }
    self.type = type
    self.rule = rule
    self.company = company
  }

  /// Queues the claim; nil if numbers were reserved for the unit of work.
  func ask(_ pipeline: inout Pipeline, _ numbers: WorkNumbers) -> Tickets? {
    guard numbers.blocks[type.name] == nil else { return nil }
    pipeline.execute(NumberStore.pass(type, company: company))
    let claim = pipeline.rows(
      NumberStore.claim(type, rule, company: company, above: numbers.highest[type.name] ?? 0),
      as: NumberStore.Claim.self
    )
    return (claim, pipeline.rows(NumberStore.highest(type, company: company), Int64.self))
  }

  /// Returns the number once the results have arrived.
  ///
  /// - Parameter asked: the queued claim; nil if none was queued yet.
  func take(_ asked: Tickets?, in work: inout Work) throws -> RecordNumber {
    if let number = work.numbers.blocks[type.name]?.take() { return number }
    // Records of an import beyond its block get their numbers one by one.
    work.numbers.blocks[type.name] = nil
    var tickets = asked
    for _ in 0..<Self.attempts {
      if let tickets, let claim = try tickets.claim.first, try (tickets.highest.first ?? 0) < claim.counter {
        work.numbers.highest[type.name] = claim.counter
        let format = try claim.format.map { try NumberFormat($0) } ?? rule.format
        return RecordNumber(counter: claim.counter, format: format)
      }
      let numbers = work.numbers
      tickets = try work.readMore { ask(&$0, numbers) }
    }
    throw DomainError(.timedOut, "no number was free for the \(type.definition.label.lowercased())")
  }
}
