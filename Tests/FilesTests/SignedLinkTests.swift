import Files
import FoundationEssentials
import Secrets
import Testing

/// Links to files.
@Suite struct SignedLinkTests {
  private static let keys = Keys.random()
  private static let link = SignedLink(
    company: UUID(),
    file: UUID(),
    owner: UUID(),
    variant: .thumbnail,
    digest: SHA256.hash("photo"),
    expires: 1_795_449_600
  )

  @Test func `a link keeps what it was made of`() throws {
    #expect(try SignedLink(parsing: Self.link.text(Self.keys), Self.keys) == Self.link)
    let open = SignedLink(
      company: UUID(),
      file: UUID(),
      owner: nil,
      variant: .content,
      digest: SHA256.hash("other"),
      expires: 0
    )
    #expect(try SignedLink(parsing: open.text(Self.keys), Self.keys) == open)
  }

  @Test func `every changed character makes a link invalid`() {
    let text = Array(Self.link.text(Self.keys))
    for index in text.indices {
      var changed = text
      changed[index] = changed[index] == "A" ? "B" : "A"
      #expect(throws: FilesError.self) { try SignedLink(parsing: String(changed), Self.keys) }
    }
    for other in [
      "", "x", String(text.dropLast()), String(text) + "A", String(text) + "=", "\(String(text))\n",
    ] {
      #expect(throws: FilesError.self) { try SignedLink(parsing: other, Self.keys) }
    }
  }

  @Test func `keys of another installation make no valid links, rotated ones do`() throws {
    let text = Self.link.text(Self.keys)
    #expect(throws: FilesError.self) { try SignedLink(parsing: text, Keys.random()) }
    var rotated = Self.keys
    rotated.rotate(.link)
    #expect(try SignedLink(parsing: text, rotated) == Self.link)
    #expect(Self.link.text(rotated) != text)
  }

  @Test func `a link can be part of a URL without escapes`() {
    let text = Self.link.text(Self.keys)
    #expect(
      text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == 0x2D || byte == 0x5F
      }
    )
  }
}
