internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Takes the number of a new record: the next one of a reserved block, or one claimed in the first round
/// trip.
struct NumberClaim {
  /// The results of the first round trip.
  typealias Tickets = (claim: Ticket<NumberStore.Claim>, highest: Ticket<Int64>)

  /// The maximum number of claims. A claim is repeated if a concurrent creation has committed a higher
  /// number.
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

  /// Queues the claim in the pipeline.
  ///
  /// - Parameter count: the number of counters to claim.
  /// - Returns: the results to come; nil if the unit of work has a reserved block.
  func ask(_ pipeline: inout Pipeline, _ numbers: WorkNumbers, count: Int = 1) -> Tickets? {
    guard numbers.blocks[type.name] == nil else { return nil }
    pipeline.execute(NumberStore.pass(type, company: company))
    let claim = pipeline.rows(
      NumberStore.claim(count, type, rule, company: company, above: numbers.highest[type.name] ?? 0),
      as: NumberStore.Claim.self
    )
    return (claim, pipeline.rows(NumberStore.highest(type, company: company), Int64.self))
  }

  /// Keeps the claimed numbers for ``take(in:)``, except those that a concurrent creation has committed meanwhile.
  func keep(_ asked: Tickets?, in work: inout Work) throws {
    guard let asked else { return }
    let highest = try asked.highest.first ?? 0
    let claims = try asked.claim.all.filter { $0.counter > highest }
    guard let last = claims.last else { return }
    let format = try last.format.map { try NumberFormat($0) } ?? rule.format
    work.numbers.highest[type.name] = last.counter
    work.numbers.claimed[type.name, default: []] += claims.map {
      RecordNumber(counter: $0.counter, format: format)
    }
  }

  /// Returns a number of the reserved block or a kept one; claims one now if there is none.
  ///
  /// - Throws: `timed_out` if no claim succeeded.
  func take(in work: inout Work) throws -> RecordNumber {
    if let number = work.numbers.blocks[type.name]?.take() { return number }
    // An import takes numbers one by one after its block is used up.
    work.numbers.blocks[type.name] = nil
    for _ in 0..<Self.attempts {
      if let number = work.numbers.claimed[type.name]?.first {
        work.numbers.claimed[type.name]?.removeFirst()
        return number
      }
      let numbers = work.numbers
      try keep(work.readMore { ask(&$0, numbers) }, in: &work)
    }
    throw DomainError(.timedOut, "no number was free for the \(type.definition.label.lowercased())")
  }
}
