import FoundationEssentials
import Testing

@testable import Domain

/// UUIDs as text.
@Suite struct UUIDTextTests {
  @Test func `a UUID survives its text in both cases`() {
    for _ in 0..<100 {
      let id = UUID()
      #expect(id.text == id.uuidString.lowercased())
      #expect(UUID(text: id.text) == id)
      #expect(UUID(text: id.uuidString) == id)
    }
  }

  @Test(arguments: [
    "", "-", "01890000-0000-7000-8000-00000000000", "01890000-0000-7000-8000-0000000000011",
    "0189000000007000800000000000000100--", "01890000-0000-7000-8000-00000000000g",
    "{1890000-0000-7000-8000-00000000000}", "01890000-0000-7000-80000-0000000001",
    " 1890000-0000-7000-8000-000000000001",
    "01890000-0000-7000-8000-00000000000\u{E9}",
  ])
  func `other text is not a UUID`(text: String) { #expect(UUID(text: text) == nil) }
}
