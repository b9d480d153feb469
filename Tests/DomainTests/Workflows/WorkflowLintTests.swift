import Testing

@testable import Domain

/// Each mistake that is detectable without running a workflow is planted once and must be found at its place.
@Suite struct WorkflowLintTests {
  private typealias Code = WorkflowDiagnostic.Code

  private static let states = [
    WorkflowState(name: "open", category: .open), WorkflowState(name: "done", category: .done, isFinal: true),
  ]

  private static func transition(
    _ name: String = "finish",
    from: [String] = ["open"],
    to: String = "done",
    permission: String? = "a.b.finish",
    by: WorkflowTransition.Firer = .person,
    set: [SetClause] = [],
    require: Requirements = Requirements(),
    guards: [TransitionGuard] = [],
    distinctFrom: [String] = [],
    effects: [Effect] = []
  ) -> WorkflowTransition {
    WorkflowTransition(
      name: name,
      from: from,
      to: to,
      permission: permission.map(Permission.init(trusted:)),
      by: by,
      set: set,
      require: require,
      guards: guards,
      distinctFrom: distinctFrom,
      effects: effects
    )
  }

  private static func definition(
    initial: String = "open",
    states: [WorkflowState] = states,
    _ transitions: [WorkflowTransition],
    migrate: [StateMapping] = [],
    tests: [WorkflowTest] = []
  ) -> WorkflowDefinition {
    WorkflowDefinition(
      name: "a.b",
      version: 1,
      initial: initial,
      states: states,
      transitions: transitions,
      migrate: migrate,
      tests: tests
    )
  }

  private static func timer(_ fire: String, delay: String = "P1D", every: String? = nil) throws
    -> TimerDefinition
  {
    TimerDefinition(
      delay: try Delay(parsing: delay),
      fire: fire,
      every: try every.map(Delay.init(parsing:)),
      limit: nil
    )
  }

  private static let context: WorkflowContext = {
    var context = WorkflowContext()
    context.tableColumns = ["title", "finished_at", "finished_by", "status", "version"]
    context.viewColumns = ["title", "hours", "finished_by"]
    context.permissions = [Permission(trusted: "a.b.finish")]
    context.roles = ["user": Fixture.permissions("a.b.finish")]
    context.jobs = ["a.scan"]
    context.templates = ["finished"]
    context.messages = ["no_hours"]
    context.types = ["a.b", "a.c"]
    return context
  }()

  private func expect(
    _ code: WorkflowDiagnostic.Code,
    at path: String,
    in definition: WorkflowDefinition,
    context: WorkflowContext = WorkflowLintTests.context,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = definition.validate(in: context)
    #expect(found.contains { $0.code == code && $0.path == path }, "\(found)", sourceLocation: sourceLocation)
    #expect(found.allSatisfy { !$0.hint.isEmpty && !$0.message.isEmpty }, sourceLocation: sourceLocation)
  }

  @Test func `the flagship's workflow is sound`() throws {
    #expect(try Fixture.manifest().validate().isEmpty)
    #expect(try Fixture.entryWorkflow().validate().isEmpty)
    #expect(Self.definition([Self.transition()]).validate(in: Self.context).isEmpty)
  }

  @Test func `states and transitions are words, each once`() {
    let bad = WorkflowState(name: "In Work", category: .open)
    expect(
      .invalidName,
      at: "states.In Work",
      in: Self.definition(states: Self.states + [bad], [Self.transition()])
    )
    expect(.duplicateName, at: "states.open", in: Self.definition(states: Self.states + Self.states, []))
    expect(
      .duplicateName,
      at: "transitions.finish",
      in: Self.definition([Self.transition(), Self.transition()])
    )
  }

  @Test func `a state that is not declared is found wherever it is named`() {
    expect(.unknownState, at: "initial", in: Self.definition(initial: "opne", [Self.transition()]))
    expect(.unknownState, at: "transitions.finish.to", in: Self.definition([Self.transition(to: "dnoe")]))
    expect(
      .unknownState,
      at: "transitions.finish.from[1]",
      in: Self.definition([Self.transition(from: ["open", "x"])])
    )
    let mapping = StateMapping(from: "old", to: "nowhere")
    expect(.unknownState, at: "migrate.old", in: Self.definition([Self.transition()], migrate: [mapping]))
    expect(.emptyFrom, at: "transitions.finish.from", in: Self.definition([Self.transition(from: [])]))
  }

  @Test func `states that cannot be reached or left are found`() {
    let lost = WorkflowState(name: "lost", category: .open)
    expect(
      .unreachableState,
      at: "states.lost",
      in: Self.definition(states: Self.states + [lost], [Self.transition()])
    )
    let stuck = Self.transition("stick", to: "lost")
    expect(
      .deadEnd,
      at: "states.lost",
      in: Self.definition(states: Self.states + [lost], [Self.transition(), stuck])
    )
    let other = WorkflowState(name: "other", category: .open)
    expect(
      .noPathToFinal,
      at: "states.lost",
      in: Self.definition(
        states: Self.states + [lost, other],
        [
          Self.transition(), stuck, Self.transition("forth", from: ["lost"], to: "other"),
          Self.transition("back", from: ["other"], to: "lost"),
        ]
      )
    )
  }

  @Test func `no transition leaves a final state for another, and work ends in a done state as well`() {
    let reopen = Self.transition("reopen", from: ["done"], to: "open")
    expect(
      .finalStateLeft,
      at: "transitions.reopen.from",
      in: Self.definition([Self.transition(), reopen])
    )
    let remind = Self.transition("remind", from: ["done"], to: "done")
    #expect(Self.definition([Self.transition(), remind]).validate().isEmpty)
    for category in [StateCategory.done, .failed] {
      let states = [Self.states[0], WorkflowState(name: "done", category: category)]
      #expect(Self.definition(states: states, [Self.transition(), reopen]).validate().isEmpty)
    }
  }

  @Test func `the state is kept in the column that the engine writes`() {
    let other = WorkflowDefinition(
      name: "a.b",
      version: 1,
      stateField: "phase",
      initial: "open",
      states: Self.states,
      transitions: [Self.transition()]
    )
    expect(.invalidName, at: "state_field", in: other)
  }

  @Test func `somebody must be permitted, and the system needs no permission`() {
    expect(
      .missingPermission,
      at: "transitions.finish.permission",
      in: Self.definition([Self.transition(permission: nil)])
    )
    expect(
      .systemPermission,
      at: "transitions.finish.permission",
      in: Self.definition([Self.transition(by: .system)])
    )
    let asking = Self.transition(permission: nil, by: .system, require: Requirements(commentMinimum: 1))
    expect(.systemRequirement, at: "transitions.finish.require", in: Self.definition([asking]))
    expect(
      .unknownPermission,
      at: "transitions.finish.permission",
      in: Self.definition([Self.transition(permission: "a.b.finsih")])
    )
    var context = Self.context
    context.roles = ["user": .none]
    expect(
      .noRoleCan,
      at: "transitions.finish.permission",
      in: Self.definition([Self.transition()]),
      context: context
    )
    context.roles = ["user": Fixture.permissions("a.b.finish.own")]
    #expect(Self.definition([Self.transition()]).validate(in: context).isEmpty)
  }

  @Test func `timers fire system transitions from their own state, one at a time, and never in a loop`()
    throws
  {
    let remind = Self.transition("remind", to: "open", permission: nil, by: .system)
    let expire = Self.transition("expire", permission: nil, by: .system)
    func with(_ timers: [TimerDefinition], _ transitions: [WorkflowTransition]) -> WorkflowDefinition {
      Self.definition(
        states: [WorkflowState(name: "open", category: .open, timers: timers), Self.states[1]],
        [Self.transition()] + transitions
      )
    }
    expect(.timerFiresUnknown, at: "states.open.after[0]", in: with([try Self.timer("remnd")], [remind]))
    expect(.timerFiresPerson, at: "states.open.after[0]", in: with([try Self.timer("finish")], []))
    let elsewhere = Self.transition("late", from: ["done"], permission: nil, by: .system)
    expect(.timerFiresElsewhere, at: "states.open.after[0]", in: with([try Self.timer("late")], [elsewhere]))
    let twice = [try Self.timer("remind"), try Self.timer("remind", delay: "P2D")]
    expect(.competingTransitions, at: "states.open.after[1]", in: with(twice, [remind]))
    let same = [try Self.timer("remind"), try Self.timer("expire", delay: "PT24H")]
    expect(.competingTransitions, at: "states.open.after[1]", in: with(same, [remind, expire]))
    let endless = try Self.timer("remind", every: "PT0S")
    expect(.zeroDelayLoop, at: "states.open.after[0].repeat", in: with([endless], [remind]))
    let stamp = Self.transition(
      "stamp",
      to: "open",
      permission: nil,
      by: .system,
      set: [SetClause("finished_at", .now)]
    )
    expect(
      .zeroDelayLoop,
      at: "states.open.after",
      in: with([try Self.timer("stamp", delay: "PT0S")], [stamp])
    )
    let apart = [try Self.timer("remind"), try Self.timer("expire", delay: "P2D")]
    #expect(with(apart, [remind, expire]).validate(in: Self.context).isEmpty)
  }

  @Test func `columns exist and are not the engine's`() {
    let path = "transitions.finish"
    let set = Self.transition(set: [SetClause("finishd_at", .now)])
    expect(.unknownField, at: "\(path).set.finishd_at", in: Self.definition([set]))
    let require = Self.transition(require: Requirements(fields: ["titel"]))
    expect(.unknownField, at: "\(path).require.fields[0]", in: Self.definition([require]))
    expect(
      .unknownField,
      at: "\(path).distinct_from[0]",
      in: Self.definition([Self.transition(distinctFrom: ["started_by"])])
    )
    expect(
      .reservedField,
      at: "\(path).set.status",
      in: Self.definition([Self.transition(set: [SetClause("status", .now)])])
    )
    let both = Self.transition(set: [SetClause("title", .now)], require: Requirements(fields: ["title"]))
    expect(.reservedField, at: "\(path).set.title", in: Self.definition([both]))
  }

  @Test func `guards are short, shallow, spelt right and speak`() {
    func with(_ path: String, message: String = "no_hours") -> WorkflowDefinition {
      Self.definition([Self.transition(guards: [TransitionGuard(path: path, message: message)])])
    }
    let place = "transitions.finish.guards[0]"
    expect(.unknownField, at: place, in: with("$.huors > 0"))
    expect(.guardOverBudget, at: place, in: with("$.** > 0"))
    expect(.unknownMessage, at: place, in: with("$.hours > 0", message: "nothing"))
    #expect(with("$.hours > 0").validate(in: Self.context).isEmpty)
  }

  @Test func `effects name what exists`() {
    let place = "transitions.finish.effects[0]"
    func with(_ effect: Effect) -> WorkflowDefinition {
      Self.definition([Self.transition(effects: [effect])])
    }
    expect(.unknownTemplate, at: place, in: with(.notify(to: .creator, template: "finishd")))
    expect(.unknownRole, at: place, in: with(.notify(to: .role("admn"), template: "finished")))
    expect(.unknownField, at: place, in: with(.notify(to: .field("assignee"), template: "finished")))
    expect(.unknownJob, at: place, in: with(.job(kind: "a.scna")))
    expect(.unknownType, at: place, in: with(.create(type: "a.d", set: [:])))
    #expect(with(.webhook(event: "a.b.finished")).validate(in: Self.context).isEmpty)
  }

  @Test func `a state that is dropped needs a successor`() {
    var context = Self.context
    context.previous = Self.definition(
      states: Self.states + [WorkflowState(name: "old", category: .open)],
      []
    )
    expect(.missingMigration, at: "migrate", in: Self.definition([Self.transition()]), context: context)
    let mapped = Self.definition([Self.transition()], migrate: [StateMapping(from: "old", to: "open")])
    #expect(mapped.validate(in: context).isEmpty)
  }

  @Test func `an in-file test that comes out otherwise is found`() throws {
    let json = Fixture.entryJSON.replacing(#""refuse": "missing_fields""#, with: #""expect": "in_progress""#)
    let definition = try Fixture.decode(WorkflowDefinition.self, json)
    var context = WorkflowContext()
    context.roles = [:]
    for role in BuiltInRole.allCases {
      context.roles?[role.rawValue] = role.permissions(in: [try Fixture.manifest()])
    }
    let found = definition.validate(in: context)
    #expect(found.map(\.code) == [.testFailed])
    #expect(found.first?.path == "tests[0]")
    #expect(found.first?.message.contains("step 4") == true)
  }

  @Test(arguments: [
    ("$.a > 0 || $.b == \"x\"", ["a", "b"]), ("!($.misspelt > 3)", ["misspelt"]), ("$ . a == 1", ["a"]),
    ("$.a == \"$.b\"", ["a"]), ("$ ? (@.c > 1)", ["c"]), ("$.a == \"\\\"$.d\"", ["a"]), ("true", []),
    ("$.a like_regex \"^b\" flag \"i\"", ["a"]), ("$.a starts with \"b\"", ["a"]),
    ("($.a > 1) is unknown", ["a"]), ("$.a == \"\"\u{301} || $.b > 1", ["a", "b"]),
    ("$.a like_regex \"b\\\\\\\\1\"", ["a"]),
  ])
  func `a guard's columns are those it names outside its strings`(path: String, columns: [String]) {
    #expect(GuardPath(path).columns == columns)
    #expect(GuardPath(path).excess == nil)
  }

  @Test(arguments: [
    "$.**", "$.a.keyvalue()", "$.a . keyvalue ()", "$.\"a\" > 1", "$[\"a\"]", "$[*].a", "$./* */a",
    "$.a.KeyValue()", "$.a l\\u0069ke_regex \"b\"", "$.a like_regex \"(b)\\\\1\"",
    "$.a LIKE_REGEX \"(b)\\u005c1\"", "$.a like_regex \"(b)\\x5c9\"", "$.a like_regex \"(b)\\u{5c}2\"",
    "$ ? (@.a ? (@.b ? (@.c > 1)))", "$.a == \"" + String(repeating: "x", count: 510) + "\"",
  ])
  func `a guard that costs too much or hides its columns is refused`(path: String) {
    #expect(GuardPath(path).excess != nil)
  }
}
