import AppInterfaces
import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import TestDatabase
import TestTools
import Testing
import Webhooks

@Suite(.serialized, .timeLimit(.minutes(60))) struct ResponderTests {
  @Test func `a stub responder turns a message into a trip of the one who asked`() async throws {
    try await JobFixture.open { fixture in
      let chat = try await Chat(fixture)
      let script = try Script(
        #"""
        cat > "$0.in"
        cat <<'END'
        { "message": "Three days, two sunsets.",
          "plan": { "title": "Lofoten", "destination": "Reine", "starts_on": "2026-02-10",
                    "stops": [{ "name": "Hamnøy", "lat": 67.9443, "lon": 13.1342, "best_light": "blue_hour" },
                              { "name": "Reine", "day_no": 2 }] } }
        END
        """#
      )
      defer { script.remove() }
      let message = try await chat.say("Three days in Lofoten, in winter")
      try await chat.answer(with: "plan.generate=\(script.path)")
      let plans = try await chat.records.list(chat.ana, type: "trips.plan", RecordQuery())
      #expect(plans.count == 1)
      #expect(plans[0]["conversation_id"] == .string(chat.conversation.text))
      #expect(plans[0]["title"] == "Lofoten" && plans[0]["status"] == "draft")
      #expect(plans[0]["created_by"]?.string == chat.ana.user?.text)
      let id = try #require(plans[0]["id"]?.string.flatMap(UUID.init(uuidString:)))
      let reader = TripReader(fixture.services, chat.records)
      let stops = try await reader.stops(chat.ana, plan: id)
      #expect(stops.compactMap { $0["name"]?.string } == ["Hamnøy", "Reine"])
      #expect(stops.compactMap { $0["position"]?.number?.integer } == [1, 2])
      let messages = try await reader.messages(chat.ana, conversation: chat.conversation)
      #expect(messages.compactMap { $0["author"]?.string } == ["user", "assistant"])
      #expect(messages.compactMap { $0["seq"]?.number?.integer } == [1, 2])
      // The assistant's message creates no job.
      #expect(try await chat.jobs() == 1)
      let told = try JSONValue(parsing: script.text(".in")).object ?? [:]
      #expect(told["message"] == .string(message.text))
      #expect(told["messages"]?.array?.first?.object?["content"] == "Three days in Lofoten, in winter")
      #expect(try await chat.records.list(chat.bea, type: "trips.plan", RecordQuery()).isEmpty)
      for plan in plans {
        let id = try #require(plan["id"]?.string.flatMap(UUID.init(uuidString:)))
        #expect(try await chat.records.verify(chat.ana, type: "trips.plan", id: id) == nil)
      }
    }
  }

  @Test func `an address may answer too, and change the plan it made before`() async throws {
    try await JobFixture.open { fixture in
      let chat = try await Chat(fixture)
      let first = try HookReceiver(.text(200, #"{"plan":{"title":"Senja"}}"#))
      defer { first.stop() }
      try await chat.say("North")
      try await chat.answer(with: "plan.generate=\(first.url)")
      let made = try await chat.records.list(chat.ana, type: "trips.plan", RecordQuery())
      let id = try #require(made.first?["id"]?.string)
      let answer =
        #"{"message":"Done","plan":{"id":"\#(id)","title":"Senja, later","stops":[{"name":"Ersfjord"}]}}"#
      let second = try HookReceiver(.text(200, answer))
      defer { second.stop() }
      try await chat.say("A month later")
      try await chat.answer(with: "plan.generate=\(second.url)")
      let plans = try await chat.records.list(chat.ana, type: "trips.plan", RecordQuery())
      #expect(plans.count == 1)
      #expect(plans[0]["title"] == "Senja, later" && plans[0]["stop_count"]?.number == 1)
      let asked =
        try JSONValue(parsing: String(decoding: second.requests[0].body, as: UTF8.self)).object ?? [:]
      #expect(asked["plans"]?.array?.first?.object?["title"] == "Senja")
    }
  }

  @Test(
    arguments: [
      "so sorry", "[]", "{}", #"{"plan":{"titel":"x"}}"#, #"{"message":7}"#,
    ]
  )
  func `an answer that is none is told to the operator and writes nothing`(answer: String) async throws {
    try await JobFixture.open { fixture in
      let chat = try await Chat(fixture)
      let responder = try HookReceiver(.text(200, answer))
      defer { responder.stop() }
      try await chat.say("Hello")
      try await chat.answer(with: "plan.generate=\(responder.url)", in: "dead")
      #expect(try await chat.records.list(chat.ana, type: "trips.plan", RecordQuery()).isEmpty)
      #expect(try await chat.records.list(chat.ana, type: "trips.message", RecordQuery()).count == 1)
    }
  }

  @Test func `an answer that breaks a rule leaves nothing of itself`() async throws {
    try await JobFixture.open { fixture in
      let chat = try await Chat(fixture)
      let answer =
        #"{"message":"Here","plan":{"title":"T","stops":[{"name":"A"},{"name":"B","lat":95,"lon":1}]}}"#
      let responder = try HookReceiver(.text(200, answer))
      defer { responder.stop() }
      try await chat.say("Hello")
      try await fixture.superuser.execute(
        "update core.job_queued set max_attempts = 1 where kind = 'plan.generate'"
      )
      try await chat.answer(with: "plan.generate=\(responder.url)", in: "dead")
      #expect(try await chat.records.list(chat.ana, type: "trips.plan", RecordQuery()).isEmpty)
      #expect(try await chat.records.list(chat.ana, type: "trips.message", RecordQuery()).count == 1)
    }
  }

  @Test func `trips of all members are completed when their last day is over everywhere`() async throws {
    try await JobFixture.open { fixture in
      let chat = try await Chat(fixture)
      var plans: [UUID] = []
      // Today may not have ended in all time zones; two days ago has.
      for (acting, days) in [(chat.ana, -2), (chat.bea, -30), (chat.ana, 0), (chat.ana, 5)] {
        let day = try await fixture.superuser.value(
          "select ((now() at time zone 'UTC')::date + \(Int32(days)))::text",
          as: String.self
        )
        let id = try await chat.records.create(
          acting,
          type: "trips.plan",
          fields: ["title": "Trip", "starts_on": "2020-01-01", "ends_on": .string(day)]
        ).id
        _ = try await chat.records.transition(
          acting,
          type: "trips.plan",
          id: id,
          request: TransitionRequest("activate")
        )
        plans.append(id)
      }
      let job = try await fixture.enqueue("plan.finish")
      try await fixture.working(fixture.worker(CompiledApps.handlers(chat.records, policy: .publicOnly))) {
        try await fixture.reach(.succeeded, job)
      }
      var statuses: [String] = []
      for (acting, plan) in zip([chat.ana, chat.bea, chat.ana, chat.ana], plans) {
        statuses.append(
          try await chat.records.show(acting, type: "trips.plan", id: plan)["status"]?.string ?? ""
        )
      }
      #expect(statuses == ["completed", "completed", "active", "active"])
    }
  }
}

/// A conversation of Ana, private from Bea.
struct Chat: Sendable {
  let fixture: JobFixture
  let records: Records
  let ana: ActingContext
  let bea: ActingContext
  let conversation: UUID

  init(_ fixture: JobFixture) async throws {
    self.fixture = fixture
    records = try await Records.open(fixture.services)
    for handle in ["ana", "bea"] {
      _ = try await Members(fixture.services)
        .add(fixture.operatorContext, email: "\(handle)@acme.example", name: handle.capitalized, role: "user")
    }
    let contexts = ActingContexts(fixture.services)
    ana = try await contexts.take(company: "acme", operatorName: "tester", as: "ana")
    bea = try await contexts.take(company: "acme", operatorName: "tester", as: "bea")
    conversation = try await records.create(ana, type: "trips.conversation", fields: ["title": "Winter"]).id
  }

  @discardableResult
  func say(_ text: String) async throws -> UUID {
    try await records.create(
      ana,
      type: "trips.message",
      fields: [
        "conversation_id": .string(conversation.text), "author": "user", "content": .string(text),
      ]
    ).id
  }

  /// Runs the worker until all jobs have ended.
  func answer(with program: String, in state: String = "succeeded") async throws {
    var handlers = HandlerTable()
    handlers.add(
      [try Program(program)],
      limits: Program.Limits(),
      tasks: CompiledApps.tasks(records),
      policy: .publicAndPrivate,
      services: fixture.services
    )
    try await fixture.working(fixture.worker(handlers)) {
      try await until {
        try await fixture.superuser.value(
          "select bool_and(state = \(state)) from core.job where kind = 'plan.generate'",
          as: Bool.self
        )
      }
    }
  }

  /// The number of `plan.generate` jobs.
  func jobs() async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.job where kind = 'plan.generate'",
      as: Int.self
    )
  }
}
