import FoundationEssentials
import Testing

@testable import Domain

@Suite struct KernelTests {
  private static func apply(
    _ request: TransitionRequest,
    _ record: RecordSnapshot,
    _ rights: ActorRights
  ) throws -> TransitionPlan {
    try Kernel.apply(request, to: record, by: rights, under: Fixture.entryWorkflow(), at: Fixture.now)
  }

  @Test func `a start sets who and when, enters the state and arms its timer`() throws {
    let record = RecordSnapshot(status: "pending", version: 4, statusEntry: 2)
    let plan = try Self.apply(TransitionRequest("start", comment: "  on it "), record, Fixture.rights(.user))
    #expect(plan.to == "in_progress")
    #expect(plan.category == .active)
    #expect(plan.version == 5)
    #expect(plan.statusEntry == 3)
    #expect(plan.comment == "on it")
    #expect(plan.bumpsVersion && plan.reentersStatus)
    #expect(
      plan.set == [
        .init(column: "started_at", value: .string(Fixture.now.rfc3339)),
        .init(column: "started_by", value: .string(Fixture.ana.text)),
      ]
    )
    #expect(plan.effects == [.notify(to: .creator, template: "entry_started")])
    let due = Fixture.now.advanced(byMicroseconds: 72 * 3_600_000_000)
    #expect(plan.timers.map(\.fire) == ["escalate"])
    #expect(plan.timers.first?.due == due)
    #expect(plan.timers.first?.firings == 1)
  }

  @Test func `a reminder writes neither row nor timers`() throws {
    let record = RecordSnapshot(status: "pending", version: 4, statusEntry: 2)
    let plan = try Self.apply(TransitionRequest("remind"), record, .system("timers"))
    #expect(!plan.bumpsVersion && !plan.reentersStatus)
    #expect(plan.version == 4)
    #expect(plan.statusEntry == 2)
    #expect(plan.timers.isEmpty)
    #expect(plan.set.isEmpty)
    #expect(plan.effects == [.notify(to: .role("admin"), template: "entry_overdue")])
  }

  @Test func `a new record enters the initial state and arms its timer`() throws {
    let plan = try Kernel.begin(under: Fixture.entryWorkflow(), at: Fixture.now)
    #expect(plan.status == "pending")
    #expect(plan.category == .open)
    #expect(plan.timers.map(\.fire) == ["remind"])
    #expect(plan.timers.first?.firings == 4)
  }

  @Test func `a timer fires after its delay, then at its interval, so often and no more`() throws {
    let timer = try #require(Fixture.entryWorkflow().state("pending")?.timers.first)
    let week: Int64 = 7 * 86_400_000_000
    for firing in 1...4 {
      #expect(
        timer.due(firing: firing, entered: Fixture.now)
          == Fixture.now.advanced(byMicroseconds: week * Int64(firing))
      )
    }
    #expect(timer.due(firing: 5, entered: Fixture.now) == nil)
    #expect(timer.due(firing: 0, entered: Fixture.now) == nil)
    let once = TimerDefinition(delay: try Delay(parsing: "P1D"), fire: "x")
    #expect(once.due(firing: 2, entered: Fixture.now) == nil)
  }

  /// One request that fails all checks at once, then passes them one by one: the next refusal shows the
  /// order.
  @Test func `checks are made in the order of the design`() throws {
    let definition = WorkflowDefinition(
      name: "a.b",
      version: 1,
      initial: "open",
      states: [
        WorkflowState(name: "open", category: .open),
        WorkflowState(name: "done", category: .done, isFinal: true),
      ],
      transitions: [
        WorkflowTransition(
          name: "finish",
          from: ["open"],
          to: "done",
          permission: Permission(trusted: "a.b.finish"),
          require: Requirements(fields: ["note", "title"], commentMinimum: 3),
          guards: [.init(path: "$.x", message: "first"), .init(path: "$.y", message: "second")],
          distinctFrom: ["started_by"]
        )
      ]
    )
    var company = CompanyStatus.suspended
    var isVisible = false
    var permissions = PermissionSet.none
    var name = "finsh"
    var status = "done"
    var version: Int64 = 1
    var starter = Fixture.ana
    var fields: JSONObject = [:]
    var comment: String?
    var guards: [Bool?] = [nil, false]
    func attempt() -> ErrorCode? {
      let record = RecordSnapshot(
        isVisible: isVisible,
        status: status,
        version: 2,
        fields: ["started_by": .string(starter.uuidString), "title": "  "],
        guards: ["finish": guards]
      )
      let rights = ActorRights(actor: .member(Fixture.ana), company: company, permissions: permissions)
      let request = TransitionRequest(name, comment: comment, expectedVersion: version, fields: fields)
      do throws(DomainError) {
        _ = try Kernel.apply(request, to: record, by: rights, under: definition, at: Fixture.now)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(attempt() == .companySuspended)
    company = .active
    #expect(attempt() == .notFound)
    isVisible = true
    #expect(attempt() == .forbidden)
    permissions = Fixture.permissions("a.b.finish")
    #expect(attempt() == .unknownTransition)
    name = "finish"
    #expect(attempt() == .wrongState)
    status = "open"
    #expect(attempt() == .stale)
    version = 2
    #expect(attempt() == .fourEyes)
    starter = Fixture.ben
    #expect(attempt() == .missingFields)
    fields = ["note": "n", "title": "t"]
    #expect(attempt() == .missingFields)
    comment = "why"
    #expect(attempt() == .guardRefused)
    guards = [true, nil]
    #expect(attempt() == .guardRefused)
    guards = [true, true]
    #expect(attempt() == nil)
  }

  private static func finishing(_ require: Requirements, _ guards: [TransitionGuard]) -> WorkflowDefinition {
    WorkflowDefinition(
      name: "a.b",
      version: 1,
      initial: "open",
      states: [
        WorkflowState(name: "open", category: .open),
        WorkflowState(name: "done", category: .done, isFinal: true),
      ],
      transitions: [
        WorkflowTransition(
          name: "finish",
          from: ["open"],
          to: "done",
          permission: Permission(trusted: "a.b.finish"),
          require: require,
          guards: guards
        )
      ]
    )
  }

  private static let finisher = ActorRights(
    actor: .member(Fixture.ana),
    company: .active,
    permissions: Fixture.permissions("a.b.finish")
  )

  @Test func `a guard without an answer refuses, as one that is null does`() {
    let definition = Self.finishing(
      Requirements(),
      [.init(path: "$.x", message: "x"), .init(path: "$.y", message: "y")]
    )
    for guards: [String: [Bool?]] in [[:], ["finish": []], ["finish": [true]], ["start": [true, true]]] {
      let record = RecordSnapshot(status: "open", guards: guards)
      let error = Kernel.refusal(of: "finish", on: record, by: Self.finisher, under: definition)
      #expect(error?.code == .guardRefused, "\(guards)")
    }
    let record = RecordSnapshot(status: "open", guards: ["finish": [true, true]])
    #expect(Kernel.refusal(of: "finish", on: record, by: Self.finisher, under: definition) == nil)
  }

  @Test func `required fields may be in the record or the request, but not be blank`() {
    let definition = Self.finishing(Requirements(fields: ["note"]), [])
    func missing(_ fields: JSONObject, _ given: JSONObject) -> JSONValue? {
      do throws(DomainError) {
        _ = try Kernel.apply(
          TransitionRequest("finish", fields: given),
          to: RecordSnapshot(status: "open", fields: fields),
          by: Self.finisher,
          under: definition,
          at: Fixture.now
        )
        return nil
      } catch {
        return error.details["fields"]
      }
    }
    #expect(missing([:], [:]) == ["note"])
    #expect(missing(["note": "  "], [:]) == ["note"])
    #expect(missing(["note": "n"], ["note": " "]) == ["note"])
    #expect(missing(["note": "n"], ["note": .null]) == ["note"])
    #expect(missing(["note": "n"], [:]) == nil)
    #expect(missing([:], ["note": "n"]) == nil)
  }

  @Test func `a refusal says what is allowed, missing or meant`() throws {
    let done = RecordSnapshot(status: "completed")
    let admin = try Fixture.rights(.admin)
    let state = try #require(refusal { _ = try Self.apply(TransitionRequest("start"), done, admin) })
    #expect(state.details["allowed"] == ["reopen"])
    #expect(state.details["status"] == "completed")
    #expect(state.hint == "allowed now: reopen")
    let user = try Fixture.rights(.user)
    let none = try #require(refusal { _ = try Self.apply(TransitionRequest("start"), done, user) })
    #expect(none.details["allowed"] == [])
    let missing = try #require(
      refusal { _ = try Self.apply(TransitionRequest("reopen", comment: " x "), done, admin) }
    )
    #expect(missing.code == .missingFields)
    #expect(missing.details["fields"] == ["comment"])
    #expect(missing.hint.contains("3 characters"))
    let meant = try #require(refusal { _ = try Self.apply(TransitionRequest("reopn"), done, admin) })
    #expect(meant.hint == "did you mean reopen?")
    let stale = try #require(
      refusal { _ = try Self.apply(TransitionRequest("reopen", expectedVersion: 9), done, admin) }
    )
    #expect(stale.details["version"] == 1)
  }

  @Test func `one without rights learns nothing of the record`() throws {
    let viewer = try Fixture.rights(.viewer)
    let messages = ["pending", "in_progress", "completed"].map { status in
      refusal { _ = try Self.apply(TransitionRequest("start"), RecordSnapshot(status: status), viewer) }
    }
    #expect(Set(messages).count == 1)
    #expect(messages.first??.code == .forbidden)
    let record = RecordSnapshot(status: "pending")
    #expect(refusal { _ = try Self.apply(TransitionRequest("nonsense"), record, viewer) }?.code == .forbidden)
  }

  @Test func `a person fires no system transition, and the system none of a person's`() throws {
    let record = RecordSnapshot(status: "pending")
    #expect(
      refusal { _ = try Self.apply(TransitionRequest("remind"), record, Fixture.rights(.owner)) }?.code
        == .forbidden
    )
    #expect(
      refusal { _ = try Self.apply(TransitionRequest("start"), record, .system("timers")) }?.code
        == .forbidden
    )
  }

  @Test func `a suspended company does nothing, not even by timer`() throws {
    let record = RecordSnapshot(status: "pending")
    let timers = ActorRights.system("timers", company: .suspended)
    #expect(
      refusal { _ = try Self.apply(TransitionRequest("remind"), record, timers) }?.code == .companySuspended
    )
    #expect(try Kernel.available(on: record, by: timers, under: Fixture.entryWorkflow()).isEmpty)
  }

  @Test func `fields that a transition does not ask for are not written by it`() throws {
    let request = TransitionRequest("start", fields: ["description": "x", "company_id": "y"])
    let error = refusal {
      _ = try Self.apply(request, RecordSnapshot(status: "pending"), Fixture.rights(.admin))
    }
    #expect(error?.code == .fieldNotEditable)
    #expect(error?.details["fields"] == ["description", "company_id"])
  }

  @Test func `four eyes hold for tokens of the same person and refuse unknown actors`() throws {
    let definition = WorkflowDefinition(
      name: "a.b",
      version: 1,
      initial: "open",
      states: [WorkflowState(name: "open", category: .open), WorkflowState(name: "done", category: .done)],
      transitions: [
        WorkflowTransition(
          name: "approve",
          from: ["open"],
          to: "done",
          permission: Permission(trusted: "a.b.approve"),
          distinctFrom: ["created_by"]
        )
      ]
    )
    func attempt(_ actor: Actor, creator: JSONValue) -> ErrorCode? {
      let rights = ActorRights(
        actor: actor,
        company: .active,
        permissions: Fixture.permissions("a.b.approve")
      )
      let record = RecordSnapshot(status: "open", fields: ["created_by": creator])
      return Kernel.refusal(of: "approve", on: record, by: rights, under: definition)?.code
    }
    let creator = JSONValue.string(Fixture.ana.text)
    #expect(attempt(.member(Fixture.ana), creator: creator) == .fourEyes)
    #expect(attempt(.token(UUID(), of: Fixture.ana), creator: creator) == .fourEyes)
    #expect(attempt(.operator("root", as: Fixture.ana), creator: creator) == .fourEyes)
    #expect(attempt(.operator("root"), creator: creator) == .fourEyes)
    #expect(attempt(.member(Fixture.ben), creator: creator) == nil)
    #expect(attempt(.member(Fixture.ana), creator: .null) == nil)
    #expect(attempt(.member(Fixture.ana), creator: "not-an-id") == .fourEyes)
  }

  @Test func `the app's words replace the name of a guard`() {
    let error = DomainError(
      .guardRefused,
      "retire is refused: open_entries",
      details: ["guard": "open_entries"]
    )
    let worded = error.wording([GuardMessage(name: "open_entries", text: "Entries are not completed yet.")])
    #expect(worded.message == "Entries are not completed yet")
    #expect(error.wording([]) == error)
  }
}
