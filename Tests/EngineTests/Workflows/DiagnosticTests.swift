import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Each diagnostic of workflows and overlays, planted once in a file as a user would write it.
@Suite(.serialized, .timeLimit(.minutes(60))) struct DiagnosticTests {
  typealias Code = WorkflowDiagnostic.Code

  /// A mistake: the correct text and its replacement.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let code: Code
    let right: String
    let wrong: String
    /// The expected place of the finding.
    let path: String

    init(_ code: Code, _ right: String, _ wrong: String, at path: String) {
      (self.code, self.right, self.wrong, self.path) = (code, right, wrong, path)
    }

    var testDescription: String { code.rawValue }
  }

  private static let closed = "  closed: { label: Closed, category: done, color: grey, final: true }"
  private static let close = "  close: { from: [approved], to: closed, permission: trial.order.submit }"
  private static let timer = "after: [{ delay: P2D, fire: nudge, repeat: P1D, max: 3 }]"
  private static let rush = "by: system, guards: [{ path: '$.amount < 500', message: too_much }] }"

  static let inWorkflow: [Mistake] = [
    Mistake(.invalidName, "  parked: { label", "  Parked-up: { label", at: "states.Parked-up"),
    Mistake(
      .duplicateName,
      "transitions:\n",
      """
      transitions:
        - { name: x, from: [draft], to: closed, permission: trial.order.submit }
        - { name: x, from: [draft], to: closed, permission: trial.order.submit }
      ignored:

      """,
      at: "transitions.x"
    ),
    Mistake(.unknownState, "to: closed", "to: clsoed", at: "transitions.close.to"),
    Mistake(
      .unreachableState,
      closed,
      closed + "\n  lost: { label: Lost, category: open }",
      at: "states.lost"
    ),
    Mistake(.deadEnd, ", color: grey, final: true }", ", color: grey }", at: "states.closed"),
    Mistake(
      .noPathToFinal,
      "category: done, color: grey, final: true }",
      "category: active, color: grey }",
      at: "states.draft"
    ),
    Mistake(.finalStateLeft, "park: { from: [draft,", "park: { from: [closed,", at: "transitions.park.from"),
    Mistake(.emptyFrom, "close: { from: [approved]", "close: { from: []", at: "transitions.close.from"),
    Mistake(
      .missingPermission,
      close,
      "  close: { from: [approved], to: closed }",
      at: "transitions.close.permission"
    ),
    Mistake(
      .systemPermission,
      rush,
      "by: system, permission: trial.order.submit }",
      at: "transitions.rush.permission"
    ),
    Mistake(
      .systemRequirement,
      rush,
      "by: system, require: { fields: [title] } }",
      at: "transitions.rush.require"
    ),
    Mistake(
      .unknownPermission,
      close,
      "  close: { from: [approved], to: closed, permission: trial.task.close }",
      at: "transitions.close.permission"
    ),
    Mistake(
      .competingTransitions,
      timer,
      "after: [{ delay: P2D, fire: nudge }, { delay: P2D, fire: lapse }]",
      at: "states.review.after[1]"
    ),
    Mistake(.timerFiresUnknown, "fire: nudge", "fire: nugde", at: "states.review.after[0]"),
    Mistake(.timerFiresElsewhere, "fire: nudge", "fire: rush", at: "states.review.after[0]"),
    Mistake(.timerFiresPerson, "fire: nudge", "fire: reject", at: "states.review.after[0]"),
    Mistake(.zeroDelayLoop, "repeat: P1D", "repeat: PT0S", at: "states.review.after[0].repeat"),
    Mistake(.unknownField, "$.amount <= 1000", "$.amuont <= 1000", at: "transitions.approve.guards[0]"),
    Mistake(
      .reservedField,
      "set: { decided_at: $now,",
      "set: { status: x,",
      at: "transitions.approve.set.status"
    ),
    Mistake(.guardOverBudget, "$.amount <= 1000", "$.** <= 1000", at: "transitions.approve.guards[0]"),
    Mistake(.guardUnparsable, "$.amount <= 1000", "$.amount <=", at: "transitions.approve.guards[0]"),
    Mistake(.guardNoPredicate, "$.amount <= 1000", "$.amount", at: "transitions.approve.guards[0]"),
    Mistake(
      .unknownMessage,
      "'$.amount <= 1000', message: too_much",
      "'$.amount <= 1000', message: too_mcuh",
      at: "transitions.approve.guards[0]"
    ),
    Mistake(
      .unknownTemplate,
      "template: order_submitted",
      "template: order_sent",
      at: "transitions.submit.effects[0]"
    ),
    Mistake(
      .unknownJob,
      "notify: { to: creator, template: order_submitted }",
      "job: { kind: trial.sacn }",
      at: "transitions.submit.effects[0]"
    ),
    Mistake(.unknownType, "type: trial.task", "type: trial.tsak", at: "transitions.approve.effects[0]"),
    Mistake(.unknownRole, "role:admin", "role:admn", at: "transitions.nudge.effects[0]"),
    Mistake(
      .testFailed,
      "transitions:\n",
      """
      tests:
        - { name: users decide, steps: [{ as: user, do: submit, expect: review }, { as: user, do: approve, expect: approved }] }
      transitions:

      """,
      at: "tests[0]"
    ),
  ]

  private static let overlay = """
    overlay: trial.order@1
    tighten:
      transitions:
        approve:
          guards: [{ path: '$.amount <= 500', message: not_cheap }]
          require: { comment: { min: 5 }, fields: [note] }
        reject: { require: { comment: { min: 10 } } }
        park: { disabled: true }
      states:
        review: { after: { nudge: { delay: P1D, repeat: PT12H } } }
    relabel: { review: In Prüfung, submit: Einreichen }
    """

  static let inOverlay: [Mistake] = [
    Mistake(.overlayOtherVersion, "trial.order@1", "trial.order@7", at: "overlay"),
    Mistake(.overlayNewTransition, "    park: {", "    prak: {", at: "tighten.transitions.prak"),
    Mistake(.overlayNewState, "    review: {", "    reviwe: {", at: "tighten.states.reviwe"),
    Mistake(.overlayTouchesSystem, "    park: {", "    nudge: {", at: "tighten.transitions.nudge"),
    Mistake(
      .overlayChangesRights,
      "{ disabled: true }",
      "{ permission: trial.order.read }",
      at: "tighten.transitions.park.permission"
    ),
    Mistake(
      .overlayChangesFourEyes,
      "{ disabled: true }",
      "{ distinct_from: [] }",
      at: "tighten.transitions.park.distinct_from"
    ),
    Mistake(.overlayChangesWay, "{ disabled: true }", "{ to: closed }", at: "tighten.transitions.park.to"),
    Mistake(
      .overlayChangesOutcome,
      "{ disabled: true }",
      "{ effects: [] }",
      at: "tighten.transitions.park.effects"
    ),
    Mistake(
      .overlayChangesState,
      "review: { after",
      "review: { final: true, after",
      at: "tighten.states.review.final"
    ),
    Mistake(.overlayLabel, "{ disabled: true }", "{ label: Weg }", at: "tighten.transitions.park.label"),
    Mistake(.overlayEnables, "disabled: true", "disabled: false", at: "tighten.transitions.park.disabled"),
    Mistake(.overlayShorterComment, "min: 10", "min: 1", at: "tighten.transitions.reject.require.comment"),
    Mistake(.overlayLongerTimer, "delay: P1D", "delay: P9D", at: "tighten.states.review.after.nudge.delay"),
    Mistake(.overlayNewTimer, "nudge: { delay", "nugde: { delay", at: "tighten.states.review.after.nugde"),
    Mistake(.noPathToFinal, "    park: {", "    close: {", at: "tighten.transitions"),
    Mistake(.unknownField, "$.amount <= 500", "$.amuont <= 500", at: "tighten.transitions.approve.guards[1]"),
    Mistake(.unknownState, "review: In", "reviwe: In", at: "relabel.reviwe"),
  ]

  private static func findings(in workflow: String) async throws -> [ManifestDiagnostic] {
    let engine = try await TrialApp.sharedHall()
    let definition = try ManifestReader.readWorkflow(workflow, document: "order.workflow.yaml")
    return try await Workflows(engine.operators, engine.records).findings(in: .workflow(definition))
  }

  private static func findings(inOverlay text: String) async throws -> [ManifestDiagnostic] {
    let engine = try await TrialApp.sharedHall()
    let overlay = try YAMLDocument.decode(WorkflowOverlay.self, text, document: "strict.yaml")
    return try await Workflows(engine.operators, engine.records).findings(in: .overlay(overlay))
  }

  /// The base workflow with a second system transition, so that two can compete.
  private static var workflow: String {
    TrialApp.orderWorkflow + "\n  lapse: { from: [review], to: draft, by: system }\n"
  }

  @Test func `the examples are sound before a mistake is planted`() async throws {
    #expect(try await Self.findings(in: Self.workflow).isEmpty)
    #expect(try await Self.findings(inOverlay: Self.overlay).isEmpty)
  }

  @Test(arguments: inWorkflow)
  func `a mistake in a workflow is found at its place, with a hint`(_ mistake: Mistake) async throws {
    var text = Self.workflow
    #expect(text.contains(mistake.right))
    text = text.replacing(mistake.right, with: mistake.wrong, maxReplacements: 1)
    // Drops the rest of the file if the mistake replaces all of it.
    text = text.split(separator: "\nignored:").first.map(String.init) ?? text
    let found = try await Self.findings(in: text)
    let meant = found.first { $0.code == mistake.code.rawValue && $0.path == mistake.path }
    #expect(meant != nil, "\(found)")
    #expect(meant?.hint.isEmpty == false && meant?.message.isEmpty == false)
  }

  @Test(arguments: inOverlay)
  func `every way of loosening is found at its place, with a hint`(_ mistake: Mistake) async throws {
    #expect(Self.overlay.contains(mistake.right))
    let found = try await Self.findings(
      inOverlay: Self.overlay.replacing(mistake.right, with: mistake.wrong, maxReplacements: 1)
    )
    let meant = found.first { $0.code == mistake.code.rawValue && $0.path == mistake.path }
    #expect(meant != nil, "\(found)")
    #expect(meant?.hint.isEmpty == false)
  }

  @Test func `a version that drops a state without saying where its records go is found`() async throws {
    let text = TrialApp.orderWorkflow
      .replacing("version: 1", with: "version: 2")
      .replacing("  parked: { label: Parked, category: open, color: yellow }\n", with: "")
      .replacing("  park: { from: [draft, review], to: parked, permission: trial.order.submit }\n", with: "")
      .replacing("  unpark: { from: [parked], to: draft, permission: trial.order.submit }\n", with: "")
    let found = try await Self.findings(in: text)
    #expect(found.map(\.code) == [Code.missingMigration.rawValue], "\(found)")
    #expect(try await Self.findings(in: text + "\nmigrate: { parked: draft }\n").isEmpty)
  }

  @Test func `a transition that no role can take is found`() throws {
    let definition = try ManifestReader.readWorkflow(TrialApp.orderWorkflow, document: "order.workflow.yaml")
    var context = WorkflowContext()
    context.roles = ["user": PermissionSet([try Permission(parsing: "trial.order.submit")])]
    let found = definition.validate(in: context).filter { $0.code == .noRoleCan }
    #expect(found.map(\.path) == ["transitions.approve.permission", "transitions.reject.permission"])
  }

  @Test func `no diagnostic is without an example`() {
    // The last two are those of own versions, in OwnWorkflowTests.
    let elsewhere: Set<Code> = [.missingMigration, .noRoleCan, .missingWayBack, .stateNamedInSQL]
    let shown = Set((Self.inWorkflow + Self.inOverlay).map(\.code)).union(elsewhere)
    for code in Code.allCases where !shown.contains(code) {
      Issue.record("\(code.rawValue) has no failing example")
    }
  }
}
