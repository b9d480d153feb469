import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.timeLimit(.minutes(60))) struct TripConversationTests {
  @Test func `messages said at the same time get places without gaps or doubles`() async throws {
    let people = try await Travellers.open()
    let conversation = try await people.conversation()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...20 {
        group.addTask { try await people.say("message \(number)", in: conversation) }
      }
      try await group.waitForAll()
    }
    let messages = try await people.reader.messages(people.ana, conversation: conversation)
    #expect(messages.compactMap { $0["seq"]?.number?.integer } == Array(1...20))
    #expect(Set(messages.compactMap { $0["content"]?.string }).count == 20)
    let shown = try await people.records.show(people.ana, type: "trips.conversation", id: conversation)
    #expect(shown["message_count"]?.number == 20)
  }

  @Test func `a conversation is read in pages from its end, each in order`() async throws {
    let people = try await Travellers.open()
    let conversation = try await people.conversation()
    for number in 1...7 { try await people.say("message \(number)", in: conversation) }
    var before: Int?
    var pages: [[Int64]] = []
    repeat {
      let page = try await people.reader.messages(
        people.ana,
        conversation: conversation,
        before: before,
        limit: 3
      )
      let places = page.compactMap { $0["seq"]?.number?.integer }
      pages.append(places)
      before = places.first.map(Int.init)
    } while pages.last?.isEmpty == false
    #expect(pages == [[5, 6, 7], [2, 3, 4], [1], []])
  }

  @Test func `messages are not changed, and nobody writes for another author`() async throws {
    let people = try await Travellers.open()
    let conversation = try await people.conversation()
    let id = try await people.say("hello", in: conversation)
    for field in ["content", "author", "seq"] {
      let error = try await refused {
        _ = try await people.records.update(
          people.ana,
          type: "trips.message",
          id: id,
          fields: [field: "system"]
        )
      }
      #expect([.forbidden, .fieldNotEditable].contains(error.code), "\(error)")
    }
    for author in ["assistant", "system", "bea"] {
      let error = try await refused {
        _ = try await people.records.create(
          people.ana,
          type: "trips.message",
          fields: ["conversation_id": .id(conversation), "author": .string(author), "content": "I say"]
        )
      }
      #expect(error.code == .forbidden)
    }
  }

  @Test func `64 KiB is a message, one byte more and nothing at all are not`() async throws {
    let people = try await Travellers.open()
    let conversation = try await people.conversation()
    try await people.say(String(repeating: "é", count: 32_768), in: conversation)
    for text in [String(repeating: "é", count: 32_768) + "!", ""] {
      let error = try await refused { try await people.say(text, in: conversation) }
      #expect(error.category == .invalid)
    }
  }

  @Test func `an archived conversation takes no message until it is reopened`() async throws {
    let people = try await Travellers.open()
    let conversation = try await people.conversation()
    func take(_ transition: String) async throws {
      _ = try await people.records.transition(
        people.ana,
        type: "trips.conversation",
        id: conversation,
        request: TransitionRequest(transition)
      )
    }
    try await take("archive")
    let error = try await refused { try await people.say("hello?", in: conversation) }
    #expect(error.code == .wrongState)
    try await take("reopen")
    try await people.say("hello", in: conversation)
  }

  @Test func `a message leaves the job that answers it, in the same unit of work`() async throws {
    let people = try await Travellers.open()
    let conversation = try await people.conversation()
    let id = try await people.say("three days in Lofoten", in: conversation)
    let causes = try await people.shop.engine.superuser.rows(
      """
      select p.cause_id from core.job j
      join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
      where j.company_id = \(people.shop.company.id) and j.kind = 'plan.generate'
      """,
      UUID.self
    )
    #expect(causes == [id])
  }
}
