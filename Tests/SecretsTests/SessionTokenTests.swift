import FoundationEssentials
import Testing

@testable import Secrets

@Suite struct SessionTokenTests {
  private let company = UUID()
  private let id = UUID()
  private let salt = [UInt8](repeating: 7, count: 16)
  private let keys = Keys.random()

  @Test func `a token leads to its company and row, and its hash is all that is stored`() throws {
    for carrier in SessionToken.Carrier.allCases {
      let token = SessionToken.make(carrier, company: company, id: id)
      let read = try SessionToken.parse(token.text, from: carrier)
      #expect(read == token && read.company == company && read.id == id)
      #expect(read.matches(token.hash))
      #expect(!read.matches(SessionToken.make(carrier, company: company, id: id).hash))
      #expect("\(token)" == "session \(id)")
    }
  }

  @Test func `a cookie is no bearer token, and a bearer token no cookie`() {
    let cookie = SessionToken.make(.cookie, company: company, id: id).text
    let bearer = SessionToken.make(.bearer, company: company, id: id).text
    #expect(throws: SecretsError.self) { try SessionToken.parse(cookie, from: .bearer) }
    #expect(throws: SecretsError.self) { try SessionToken.parse(bearer, from: .cookie) }
    #expect(throws: SecretsError.self) { try APIToken.parse(bearer) }
  }

  @Test func `derived tokens repeat, and differ by generation, salt, session and key`() {
    func text(_ id: UUID, _ generation: Int32, _ salt: [UInt8], _ key: Keys.Version) -> String {
      SessionToken.derived(company: company, id: id, generation: generation, salt: salt, key: key).text
    }
    let key = keys.current(.session)
    #expect(text(id, 1, salt, key) == text(id, 1, salt, key))
    let others = [
      text(id, 2, salt, key), text(UUID(), 1, salt, key), text(id, 1, salt.map { $0 + 1 }, key),
      text(id, 1, salt, Keys.random().current(.session)),
    ]
    #expect(Set(others + [text(id, 1, salt, key)]).count == 5)
  }

  @Test func `a refresh token names its generation and proves it`() throws {
    let key = keys.current(.session)
    let token = RefreshToken.derived(company: company, id: id, generation: 258, salt: salt, key: key)
    let read = try RefreshToken.parse(token.text)
    #expect(read == token && read.generation == 258 && read.company == company && read.id == id)
    #expect(read.isGenuine(salt: salt, keys: keys.all(.session)))
    #expect(!read.isGenuine(salt: salt.map { $0 + 1 }, keys: keys.all(.session)))
    #expect(!read.isGenuine(salt: salt, keys: Keys.random().all(.session)))
  }

  @Test func `an older version of the key still proves a refresh token`() throws {
    var keys = keys
    let token = RefreshToken.derived(
      company: company,
      id: id,
      generation: 3,
      salt: salt,
      key: keys.current(.session)
    )
    keys.rotate(.session)
    #expect(token.isGenuine(salt: salt, keys: keys.all(.session)))
  }

  @Test func `a refresh token with another generation or code is not genuine`() throws {
    let key = keys.current(.session)
    let two = RefreshToken.derived(company: company, id: id, generation: 2, salt: salt, key: key)
    let kind = ClearToken.Kind(prefix: "ftr_", noun: "refresh token")
    let secret = try #require(ClearToken(kind, parsing: two.text).secret)
    for place in secret.indices {
      var forged = secret
      forged[place] ^= 1
      let text = ClearToken(kind, company, id, secret: forged).text
      // A generation of 0 does not parse, which refuses the token as well.
      let isGenuine = (try? RefreshToken.parse(text))?.isGenuine(salt: salt, keys: [key]) ?? false
      #expect(!isGenuine, "byte \(place)")
    }
  }

  @Test func `generations that cannot exist are refused`() {
    let kind = ClearToken.Kind(prefix: "ftr_", noun: "refresh token")
    for number: [UInt8] in [
      [0, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF],
    ] {
      let secret = number + [UInt8](repeating: 1, count: 28)
      let text = ClearToken(kind, company, id, secret: secret).text
      #expect(throws: SecretsError.self) { try RefreshToken.parse(text) }
    }
  }

  @Test func `a token against forged requests belongs to one session`() {
    let token = RequestForgeryToken.of("session a 1", key: keys.current(.session))
    #expect(RequestForgeryToken.isValid(token, for: "session a 1", keys: keys.all(.session)))
    #expect(!RequestForgeryToken.isValid(token, for: "session a 2", keys: keys.all(.session)))
    #expect(!RequestForgeryToken.isValid("", for: "session a 1", keys: keys.all(.session)))
  }

  @Test func `a key file from before the sessions is read and completed`() throws {
    let old = Keys.random().text.split(separator: "\n").filter { !$0.hasPrefix("session ") }
    let keys = try Keys(text: old.joined(separator: "\n") + "\n")
    #expect(keys.missing == [.session])
  }
}
