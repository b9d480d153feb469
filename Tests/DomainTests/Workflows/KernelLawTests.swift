import FoundationEssentials
import TestTools
import Testing

@testable import Domain

/// The law: `available` contains a transition exactly when `apply` with satisfying input succeeds.
@Suite struct KernelLawTests {
  @Test(arguments: BuiltInRole.allCases, CompanyStatus.allCases)
  func `it holds for every state and transition of the flagship`(role: BuiltInRole, company: CompanyStatus)
    throws
  {
    let definition = try Fixture.entryWorkflow()
    let actors = [try Fixture.rights(role, company: company), ActorRights.system("timers", company: company)]
    for rights in actors {
      for state in definition.states {
        for isVisible in [true, false] {
          let record = RecordSnapshot(isVisible: isVisible, status: state.name, owners: [Fixture.ana])
          Self.check(definition, record, rights, "\(role) \(state.name)")
        }
      }
    }
  }

  @Test func `the flagship offers exactly these to these roles`() throws {
    let definition = try Fixture.entryWorkflow()
    let expected: [BuiltInRole: [String: [String]]] = [
      .owner: ["pending": ["start"], "in_progress": ["pause", "complete"], "completed": ["reopen"]],
      .admin: ["pending": ["start"], "in_progress": ["pause", "complete"], "completed": ["reopen"]],
      .user: ["pending": ["start"], "in_progress": ["pause", "complete"], "completed": []],
      .viewer: ["pending": [], "in_progress": [], "completed": []],
      .guest: ["pending": [], "in_progress": [], "completed": []],
      .service: ["pending": ["start"], "in_progress": ["pause", "complete"], "completed": []],
    ]
    for (role, states) in expected {
      for (state, names) in states {
        let record = RecordSnapshot(status: state)
        let offered = Kernel.available(on: record, by: try Fixture.rights(role), under: definition)
        #expect(offered.map(\.name) == names, "\(role) \(state)")
      }
    }
  }

  @Test(arguments: Seed.several)
  func `it holds for random definitions, records and rights`(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    for _ in 0..<25 {
      let definition = Self.definition(using: &generator)
      for _ in 0..<8 {
        let record = Self.record(of: definition, using: &generator)
        let rights = Self.rights(for: definition, using: &generator)
        Self.check(definition, record, rights, "seed \(seed)")
        Self.checkRandomRequest(definition, record, rights, using: &generator, "seed \(seed)")
      }
    }
  }

  private static func check(
    _ definition: WorkflowDefinition,
    _ record: RecordSnapshot,
    _ rights: ActorRights,
    _ comment: String
  ) {
    let available = Set(Kernel.available(on: record, by: rights, under: definition).map(\.name))
    for transition in definition.transitions {
      let request = TransitionRequest(
        transition.name,
        comment: String(repeating: "x", count: transition.require.commentMinimum ?? 0),
        expectedVersion: record.version,
        fields: JSONObject(transition.require.fields.map { ($0, "given") })
      )
      let succeeds: Bool
      do {
        let plan = try Kernel.apply(request, to: record, by: rights, under: definition, at: Fixture.now)
        succeeds = true
        #expect(plan.from == record.status && plan.to == transition.to)
      } catch {
        succeeds = false
      }
      #expect(available.contains(transition.name) == succeeds, "\(transition.name): \(comment)")
    }
  }

  /// For any request, success implies availability, and an available transition fails only for its input.
  private static func checkRandomRequest(
    _ definition: WorkflowDefinition,
    _ record: RecordSnapshot,
    _ rights: ActorRights,
    using generator: inout SeededRandom,
    _ comment: String
  ) {
    let available = Set(Kernel.available(on: record, by: rights, under: definition).map(\.name))
    for name in definition.transitions.map(\.name) + ["unheard_of"] {
      let request = TransitionRequest(
        name,
        comment: Bool.random(using: &generator) ? "because" : nil,
        expectedVersion: [nil, record.version, record.version + 1].randomElement(using: &generator) ?? nil,
        fields: JSONObject(generator.subset(of: ["note", "title", "price"]).map { ($0, "given") })
      )
      do {
        _ = try Kernel.apply(request, to: record, by: rights, under: definition, at: Fixture.now)
        #expect(available.contains(name), "\(name): \(comment)")
      } catch {
        guard available.contains(name) else { continue }
        #expect(
          [.stale, .missingFields, .fieldNotEditable].contains(error.code),
          "\(name): \(error) \(comment)"
        )
      }
    }
  }

  private static func definition(using generator: inout SeededRandom) -> WorkflowDefinition {
    let names = (0..<Int.random(in: 1...5, using: &generator)).map { "s\($0)" }
    let transitions = (0..<Int.random(in: 1...7, using: &generator)).map { index in
      WorkflowTransition(
        name: "t\(index)",
        from: generator.subset(of: names),
        to: names.randomElement(using: &generator) ?? "s0",
        permission: Permission(trusted: "a.b.v\(Int.random(in: 0...3, using: &generator))"),
        by: Int.random(in: 0...3, using: &generator) == 0 ? .system : .person,
        set: Bool.random(using: &generator) ? [SetClause("stamp", .now)] : [],
        require: Requirements(
          fields: generator.subset(of: ["note", "title"]),
          commentMinimum: [nil, 1, 3].randomElement(using: &generator) ?? nil
        ),
        guards: (0..<Int.random(in: 0...2, using: &generator)).map {
          .init(path: "$.g\($0)", message: "g\($0)")
        },
        distinctFrom: generator.subset(of: ["created_by", "started_by"], chance: 0.2)
      )
    }
    return WorkflowDefinition(
      name: "a.b",
      version: 1,
      initial: "s0",
      states: names.map { WorkflowState(name: $0, category: .open) },
      transitions: transitions
    )
  }

  private static func record(
    of definition: WorkflowDefinition,
    using generator: inout SeededRandom
  ) -> RecordSnapshot {
    var guards: [String: [Bool?]] = [:]
    for transition in definition.transitions {
      // Sometimes a result is missing, which must refuse like null.
      let answers = transition.guards.map { _ in
        [true, true, true, false, nil].randomElement(using: &generator) ?? nil
      }
      guards[transition.name] =
        Int.random(in: 0...9, using: &generator) == 0 ? Array(answers.dropLast()) : answers
    }
    let people: [JSONValue] = [.null, .string(Fixture.ana.text), .string(Fixture.ben.text)]
    return RecordSnapshot(
      isVisible: Int.random(in: 0...9, using: &generator) > 0,
      status: definition.states.randomElement(using: &generator)?.name ?? "s0",
      version: Int64.random(in: 1...9, using: &generator),
      owners: [[], [Fixture.ana], [Fixture.ben]].randomElement(using: &generator) ?? [],
      fields: [
        "created_by": people.randomElement(using: &generator) ?? .null,
        "started_by": people.randomElement(using: &generator) ?? .null,
        "title": ["", "set"].randomElement(using: &generator) ?? "",
      ],
      guards: guards
    )
  }

  private static func rights(
    for definition: WorkflowDefinition,
    using generator: inout SeededRandom
  ) -> ActorRights {
    let pool = (0...3).flatMap { [Permission(trusted: "a.b.v\($0)"), Permission(trusted: "a.b.v\($0).own")] }
    let actors: [Actor] = [
      .member(Fixture.ana), .token(Fixture.ben, of: Fixture.ana), .operator("root"), .system("timers"),
    ]
    return ActorRights(
      actor: actors.randomElement(using: &generator) ?? .system("timers"),
      company: Int.random(in: 0...9, using: &generator) == 0 ? .suspended : .active,
      permissions: PermissionSet(generator.subset(of: pool))
    )
  }
}
