import FoundationEssentials
import Testing

@testable import Domain

@Suite struct ImportStatusRuleTests {
  private static let member = UUID()

  private static func transition(
    _ name: String,
    _ from: String,
    _ to: String,
    permission: String? = "shop.order.move",
    by: WorkflowTransition.Firer = .person,
    guards: [String] = [],
    distinctFrom: [String] = [],
    isDisabled: Bool = false
  ) -> WorkflowTransition {
    WorkflowTransition(
      name: name,
      from: [from],
      to: to,
      permission: permission.map { Permission(trusted: $0) },
      by: by,
      guards: guards.map { TransitionGuard(path: $0, message: "no") },
      distinctFrom: distinctFrom,
      isDisabled: isDisabled
    )
  }

  private static func rule(
    _ transitions: [WorkflowTransition],
    actor: Actor = .member(member),
    holding permissions: [String] = ["shop.order.move"]
  ) -> ImportStatusRule {
    ImportStatusRule(
      workflow: WorkflowDefinition(
        name: "shop.order",
        version: 1,
        initial: "a",
        states: ["a", "b", "c"].map { WorkflowState(name: $0, category: .open) },
        transitions: transitions
      ),
      rights: ActorRights(
        actor: actor,
        company: .active,
        permissions: PermissionSet(permissions.map { Permission(trusted: $0) })
      )
    )
  }

  @Test func `the initial status requires nothing`() throws {
    #expect(try Self.rule([], holding: []).guards(for: "a").isEmpty)
  }

  @Test func `a status requires every transition on its way`() throws {
    let way = [
      Self.transition("go", "a", "b"), Self.transition("end", "b", "c", permission: "shop.order.end"),
    ]
    #expect(try Self.rule(way).guards(for: "b").isEmpty)
    let refusal = #expect(throws: DomainError.self) { try Self.rule(way).guards(for: "c") }
    #expect(refusal?.code == .forbidden && refusal?.details["transition"] == "end")
    #expect(try Self.rule(way, holding: ["shop.order.move", "shop.order.end"]).guards(for: "c").isEmpty)
    #expect(
      try Self.rule(way, holding: ["shop.order.move.own", "shop.order.end.own"]).guards(for: "c").isEmpty
    )
  }

  @Test func `the way with the fewest guards is taken`() throws {
    let long = [
      Self.transition("leap", "a", "c", guards: ["$.x == 1", "$.y == 1"]), Self.transition("go", "a", "b"),
      Self.transition("end", "b", "c", guards: ["$.z == 1"]), Self.transition("back", "c", "a"),
    ]
    #expect(try Self.rule(long).guards(for: "c").map(\.path) == ["$.z == 1"])
  }

  @Test(arguments: [
    (transition("x", "a", "b", distinctFrom: ["created_by"]), ErrorCode.fourEyes),
    (transition("x", "a", "b", permission: nil, by: .system), .forbidden),
    (transition("x", "a", "b", isDisabled: true), .transitionDisabled),
    (transition("x", "c", "b"), .forbidden),
  ])
  func `a transition that the importer cannot take alone refuses`(way: WorkflowTransition, code: ErrorCode) {
    let refusal = #expect(throws: DomainError.self) { try Self.rule([way]).guards(for: "b") }
    #expect(refusal?.code == code)
  }

  @Test func `only an operator in their own name and the engine import every status`() throws {
    for actor in [Actor.operator("root"), .system("job")] {
      #expect(try Self.rule([], actor: actor, holding: []).guards(for: "c").isEmpty)
    }
    for actor in [Actor.operator("root", as: Self.member), .token(UUID(), of: Self.member)] {
      #expect(throws: DomainError.self) { try Self.rule([], actor: actor).guards(for: "c") }
    }
  }
}
