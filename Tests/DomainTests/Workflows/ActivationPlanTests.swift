import Testing

@testable import Domain

/// The mapping of records in each state when a company changes to another version.
@Suite struct ActivationPlanTests {
  private static func version(_ version: Int, _ states: [String], migrate: [StateMapping] = [])
    -> WorkflowDefinition
  {
    WorkflowDefinition(
      name: "a.b",
      version: version,
      initial: "open",
      states: states.map { WorkflowState(name: $0, category: $0 == "done" ? .done : .open) },
      transitions: [],
      migrate: migrate
    )
  }

  private static let current = version(1, ["open", "parked", "done"])

  @Test func `a single record in a state that is lost refuses it, an empty state does not`() throws {
    let next = Self.version(2, ["open", "done"])
    let empty = ActivationPlan(from: Self.current, to: next, counts: ["open": 4])
    try empty.requireComplete("a.b")
    #expect(empty.lines.first { $0.status == "parked" }?.fate == .lost)
    let one = ActivationPlan(from: Self.current, to: next, counts: ["open": 4, "parked": 1])
    let error = #expect(throws: DomainError.self) { try one.requireComplete("a.b") }
    #expect(error?.code == .statesStillUsed)
    #expect(error?.details["states"] == ["parked": 1])
  }

  @Test func `a state that neither version has is counted too`() {
    let next = Self.version(2, ["open", "parked", "done"])
    let plan = ActivationPlan(from: Self.current, to: next, counts: ["ancient": 2])
    #expect(plan.lost.map(\.status) == ["ancient"])
  }

  @Test func `a map moves what the new version lacks, and nothing that it has`() throws {
    let next = Self.version(
      2,
      ["open", "waiting", "done"],
      migrate: [StateMapping(from: "parked", to: "waiting"), StateMapping(from: "open", to: "done")]
    )
    let plan = ActivationPlan(from: Self.current, to: next, counts: ["open": 4, "parked": 3])
    try plan.requireComplete("a.b")
    #expect(plan.moving == 3)
    #expect(plan.lines.first { $0.status == "open" }?.fate == .stays)
    #expect(plan.lines.first { $0.status == "parked" }?.fate == .moves(to: "waiting"))
  }
}
