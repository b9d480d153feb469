internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension Records {
  /// The number of changes that are decided together.
  private static let chunk = 1_000

  /// Applies changes wave by wave within a unit of work. A refused change leaves the others as they are.
  ///
  /// - Parameter isCareful: true to find the changes whose values PostgreSQL refuses; false to throw its error.
  /// - Returns: what became of each change, by its number.
  func applyEach(
    _ requests: [ChangeRequest],
    isCareful: Bool,
    _ acting: ActingContext,
    in work: inout Work
  ) throws -> [Int64: ChangeOutcome] {
    let (access, _) = try work.read { _ in }
    let company = acting.company.id
    if followed.followed(by: company).revision != access.workflowRevision {
      _ = try followed.load(company, catalogue, work.transaction)
    }
    var run = ChangeRun(records: self, acting: acting, rights: try Rights(acting, access), policy: nil)
    run.isCareful = isCareful
    var outcomes: [Int64: ChangeOutcome] = [:]
    for start in stride(from: 0, to: requests.count, by: Self.chunk) {
      let part = Array(requests[start..<min(start + Self.chunk, requests.count)])
      let preparation = try ChangePreparation(self, acting, part)
      let waves = preparation.waves
      if waves.contains(where: { $0.contains { $0.type?.workflow != nil } }) {
        work.decided(under: preparation.revision)
      }
      for wave in waves {
        for (change, outcome) in try run.apply(wave, nil, isLast: false, in: &work) {
          outcomes[change.no] = outcome
        }
      }
    }
    return outcomes
  }
}
