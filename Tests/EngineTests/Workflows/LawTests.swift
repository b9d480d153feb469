import Domain
import Engine
import FoundationEssentials
import Postgres
import Store
import Testing

/// The offered transitions are exactly those that succeed, for all states, roles and transitions of all
/// workflows of the embedded apps.
@Suite(.serialized, .timeLimit(.minutes(60))) struct LawTests {
  struct Subject: Sendable, CustomTestStringConvertible {
    let manifest: AppManifest
    let type: RecordTypeDefinition
    let workflow: WorkflowDefinition

    var testDescription: String { workflow.name }
  }

  static let subjects: [Subject] = Installation.embeddedApps.flatMap { app -> [Subject] in
    guard let manifest = try? AppPackage.embedded(app).manifest else { return [] }  // listed in a test below
    return manifest.types.compactMap { type in
      type.workflow.flatMap(manifest.workflow).map { Subject(manifest: manifest, type: type, workflow: $0) }
    }
  }

  @Test func `every workflow of every app is a subject`() throws {
    let names = Set(Self.subjects.map(\.workflow.name))
    let known = try Installation.embeddedApps.flatMap {
      try AppPackage.embedded($0).manifest.workflows.compactMap { $0.definition?.name }
    }
    #expect(names == Set(known) && names.contains("maintenance.entry"))
  }

  @Test(arguments: subjects)
  func `in the kernel, for all results of guards and all owners`(_ subject: Subject) throws {
    let me = UUID()
    let workflow = subject.workflow
    var rights: [(String, ActorRights)] = CompanyStatus.allCases.map {
      ("system, \($0)", .system("timers", company: $0))
    }
    for role in BuiltInRole.allCases {
      let held = role.permissions(in: [subject.manifest])
      for status in CompanyStatus.allCases {
        rights.append(
          ("\(role), \(status)", ActorRights(actor: .member(me), company: status, permissions: held))
        )
      }
    }
    // The overlay that disables all transitions by people.
    let strict = workflow.tightened(
      by: WorkflowOverlay(
        workflow: workflow.name,
        version: workflow.version,
        transitions: workflow.transitions.filter { $0.by == .person }.map {
          TightenedTransition(name: $0.name, isDisabled: true)
        }
      )
    )
    var offered = 0
    for definition in [workflow, strict] {
      for (name, rights) in rights {
        for state in definition.states {
          for owners in [[me], [UUID()], []] {
            for answer in [true, false, nil] as [Bool?] {
              let record = RecordSnapshot(
                status: state.name,
                owners: owners,
                fields: ["created_by": .string(me.text)],
                guards: Dictionary(
                  uniqueKeysWithValues: definition.transitions.map {
                    ($0.name, $0.guards.map { _ in answer })
                  }
                )
              )
              offered += Self.check(definition, record, rights, "\(name), \(state.name)")
            }
          }
        }
      }
    }
    #expect(offered > 0)
  }

  private static func check(
    _ definition: WorkflowDefinition,
    _ record: RecordSnapshot,
    _ rights: ActorRights,
    _ comment: String
  ) -> Int {
    let available = Kernel.available(on: record, by: rights, under: definition).map(\.name)
    let succeeding = definition.transitions.map(\.name).filter { name in
      let transition = definition.transition(name)
      let request = TransitionRequest(
        name,
        comment: String(repeating: "x", count: transition?.require.commentMinimum ?? 0),
        expectedVersion: record.version,
        fields: JSONObject((transition?.require.fields ?? []).map { ($0, "given") })
      )
      let now = Instant(seconds: 1_774_700_000)
      return (try? Kernel.apply(request, to: record, by: rights, under: definition, at: now)) != nil
    }
    #expect(available == succeeding, "\(definition.name): \(comment)")
    return available.count
  }
}
