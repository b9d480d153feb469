import API
import Domain
import FoundationEssentials
import Testing

@Suite struct EntityTagTests {
  private static let epoch = UUID(uuidString: "0A1B2C3D-0000-4000-8000-000000000000") ?? UUID()

  @Test func `a tag has the beginning of the epoch, the version and a digest of the body`() {
    let tag = EntityTag(epoch: Self.epoch, version: 7, body: [])
    // SHA-256 of nothing begins with e3b0c442.
    #expect(tag.text == "\"0a1b2c3d.7.e3b0c442\"")
    #expect(tag != EntityTag(epoch: Self.epoch, version: 7, body: [1]))
    #expect(EntityTag(epoch: Self.epoch, version: 7, body: nil).text == "\"0a1b2c3d.7.-\"")
  }

  @Test func `If-None-Match compares the whole tag`() {
    let tag = EntityTag(epoch: Self.epoch, version: 7, body: [])
    #expect(tag.matches(tag.text))
    #expect(tag.matches("W/\(tag.text)"))
    #expect(tag.matches("\"other\", \(tag.text)"))
    #expect(tag.matches("*"))
    #expect(!tag.matches(nil))
    #expect(!tag.matches("\"0a1b2c3d.7.00000000\""))
    #expect(!tag.matches("0a1b2c3d.7.e3b0c442"))
  }

  @Test func `If-Match compares epoch and version`() throws {
    let condition = try EntityTag.Precondition("\"0a1b2c3d.7.ffffffff\"")
    #expect(condition.epoch == "0a1b2c3d")
    #expect(condition.version == 7)
    #expect(try EntityTag.Precondition("W/\"0a1b2c3d.7.-\"") == condition)
    #expect(try EntityTag.Precondition("*").version == nil)
    #expect(try EntityTag.Precondition(nil).epoch == nil)
  }

  @Test(arguments: [
    "\"7\"", "7", "\"\"", "\"a.7.b\"", "\"0a1b2c3d.0.b\"", "\"0a1b2c3d.x.b\"", "\"0a1b2c3d.7\"", "",
  ])
  func `a tag of no record is stale`(tag: String) {
    #expect { try EntityTag.Precondition(tag) } throws: { error in
      let code = (error as? DomainError)?.code
      return code == .stale || tag.isEmpty && code == .invalidInput
    }
  }
}
