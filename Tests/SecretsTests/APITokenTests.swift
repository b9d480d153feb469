import FoundationEssentials
import Testing

@testable import Secrets

@Suite struct APITokenTests {
  private let token = APIToken.make(company: UUID(), id: UUID())

  @Test func `a token names its company and its row`() throws {
    let parsed = try APIToken.parse(token.text)
    #expect(parsed == token)
    #expect(parsed.matches(token.hash))
    #expect(token.text.hasPrefix("ftl_"))
    #expect(token.text.utf8.allSatisfy { $0 < 128 })
  }

  @Test func `the extreme ids survive`() throws {
    for number in [UInt128.min, .max] {
      let token = APIToken.make(company: UUID(number: number), id: UUID(number: number))
      #expect(try APIToken.parse(token.text) == token)
    }
  }

  @Test func `every mistyped character is detected`() {
    let characters = Array(token.text)
    for index in characters.indices {
      var typo = characters
      typo[index] = typo[index] == "x" ? "y" : "x"
      #expect(throws: SecretsError.self) { try APIToken.parse(String(typo)) }
    }
  }

  @Test(arguments: ["", "ftl_", "ghp_abc", "ftl_é", String(repeating: "z", count: 99)])
  func `malformed tokens are refused and not echoed`(text: String) {
    let error = #expect(throws: SecretsError.self) { try APIToken.parse(text) }
    #expect(error?.kind == .malformedToken)
    #expect(text.isEmpty || error?.description.contains(text) == false || text == "ftl_")
  }

  @Test func `a token of too large a number is refused`() {
    let body = "ftl_" + String(repeating: "z", count: 44) + "_" + String(repeating: "0", count: 44)
    let text = body + Base62.encode(UInt128(CRC32.checksum(body.utf8)), width: 6)
    #expect(throws: SecretsError.self) { try APIToken.parse(text) }
  }

  @Test func `no log shows a token's secret`() {
    let secret = token.text.suffix(50)
    var dumped = ""
    dump(token, to: &dumped)
    #expect(!"\(token) \(String(reflecting: token))\(dumped)".contains(secret))
  }

  @Test func `a share link is not an API token, nor the other way round`() throws {
    let link = ShareLink.make(company: token.company, owner: token.id)
    #expect(try ShareLink.parse(link.text) == link)
    #expect(link.company == token.company && link.owner == token.id)
    #expect(throws: SecretsError.self) { try APIToken.parse(link.text) }
    #expect(throws: SecretsError.self) { try ShareLink.parse(token.text) }
  }

  @Test func `two tokens of one row have different secrets`() {
    let again = APIToken.make(company: token.company, id: token.id)
    #expect(!again.matches(token.hash))
  }
}
