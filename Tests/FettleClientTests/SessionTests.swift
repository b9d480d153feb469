import FettleClient
import FoundationEssentials
import Testing

/// Tokens are exchanged once, and a sign-out loses nothing unless it is told to.
@Suite(.timeLimit(.minutes(60))) struct SessionTests {
  private static func tokens(_ number: Int) -> FieldValue {
    [
      "user": "u1", "company": ["slug": "acme", "name": "Acme"], "expires_in": 900,
      "access_token": .string("a\(number)"), "refresh_token": .string("r\(number)"),
    ]
  }

  @Test func `an old access token is exchanged, and a lost answer is asked for with the same refresh token`()
    async throws
  {
    let (phone, client) = try await TestPhone.open()
    phone.wait(1_000)
    phone.transport.next("/v1/auth/refresh") { _ in throw ClientError(.unanswered, "lost") }
    await #expect(throws: ClientError.self) { try await client.sync() }
    phone.transport.next("/v1/auth/refresh", Self.tokens(2))
    // The app ends in between.
    try await phone.client().sync()
    #expect(try phone.transport.bodies("/v1/auth/refresh").map { $0["refresh_token"] } == ["r1", "r1"])
    #expect(phone.transport.requests("/v1/sync/changes").first?.headers["authorization"] == "Bearer a2")
  }

  @Test func `requests at the same time share one exchange of tokens`() async throws {
    let (phone, client) = try await TestPhone.open()
    let id = UUID()
    phone.wait(1_000)
    phone.transport.next("/v1/auth/refresh") { _ in
      await Task.yield()
      return ScriptedTransport.response(Self.tokens(2))
    }
    async let one = client.file(id)
    async let two = client.file(UUID())
    async let three = client.sync()
    _ = try await (one, two, three)
    #expect(phone.transport.requests("/v1/auth/refresh").count == 1)
  }

  @Test func `a refused access token is exchanged, and the request sent again`() async throws {
    let (phone, client) = try await TestPhone.open()
    phone.transport.next("/v1/sync/changes", ["code": "session_expired", "status": 401], status: 401)
    phone.transport.next("/v1/auth/refresh", Self.tokens(2))
    try await client.sync()
    #expect(
      phone.transport.requests("/v1/sync/changes").map { $0.headers["authorization"] } == [
        "Bearer a1", "Bearer a2",
      ]
    )
  }

  @Test func `the end of the session removes the records and keeps the queue`() async throws {
    let (phone, client) = try await TestPhone.open()
    let id = UUID()
    try await TestPhone.pull(client, phone, [TestPhone.put(id, version: 1, ["description": "a"])])
    try await client.patch(TestPhone.type, id, ["description": "b"])
    phone.transport.next("/v1/sync/exchange", ["code": "session_expired", "status": 401], status: 401)
    phone.transport.next("/v1/auth/refresh", ["code": "session_expired", "status": 401], status: 401)
    let error = await #expect(throws: ClientError.self) { try await client.sync() }
    #expect(error?.kind == .signedOut)
    #expect(try await client.records(TestPhone.type).all().isEmpty)
    #expect(try await client.pending.map(\.fields) == [["description": "b"]])
    _ = try await client.signIn(.password(email: "a@b.example", password: "c"))
    phone.transport.next(
      "/v1/sync/exchange",
      ScriptedTransport.exchange(
        [["no": 1, "result": "blocked", "blocked_by": 0]],
        ScriptedTransport.page([TestPhone.put(id, version: 1, ["description": "a", "priority": 1])])
      )
    )
    try await client.sync()
    // The change that waits covers the record again.
    #expect(try await client.records(TestPhone.type).find(id)?.fields == ["description": "b", "priority": 1])
  }

  @Test func `a sign-out refuses to lose changes, and another account does too`() async throws {
    let (phone, client) = try await TestPhone.open()
    try await client.create(TestPhone.type, ["description": "hose"])
    let error = await #expect(throws: ClientError.self) { try await client.signOut() }
    #expect(error?.kind == .unsynced(1))
    let other: FieldValue = [
      "user": "u2", "company": ["slug": "acme", "name": "Acme"], "expires_in": 900, "access_token": "b1",
      "refresh_token": "s1",
    ]
    phone.transport.next("/v1/auth/sign-in", other)
    let refusal = await #expect(throws: ClientError.self) {
      try await client.signIn(.password(email: "b@b.example", password: "c"))
    }
    #expect(refusal?.kind == .otherAccount(unsynced: 1))
    let device = try await client.device
    try await client.signOut(discarding: true)
    #expect(try await client.unsynced == 0)
    #expect(try await client.records(TestPhone.type).all().isEmpty)
    #expect(try await client.device != device)
    #expect(await !client.isSignedIn)
  }

  @Test func `a second factor is asked for`() async throws {
    let phone = TestPhone()
    let client = try phone.client()
    phone.transport.next(
      "/v1/auth/sign-in",
      ["step": "second_factor", "step_token": "t", "expires_in": 300],
      status: 202
    )
    #expect(
      try await client.signIn(.password(email: "a@b.example", password: "c")) == .secondFactor(stepToken: "t")
    )
    phone.transport.next("/v1/auth/second-factor", Self.tokens(1))
    #expect(try await client.signIn(.secondFactor(stepToken: "t", code: "123456")) == .signedIn)
    #expect(await client.isSignedIn)
  }
}
