import Foundation
import Terminal
import TestTools
import Testing

@Suite struct ShellWordTests {
  @Test(arguments: ["/x/inst two/hö me", "cöpy 1", "it's", "", "$HOME `x` \"y\" \\", "/plain/path_1.conf"])
  func `a printed word comes back from a shell as it was`(word: String) throws {
    let output = FileManager.default.temporaryDirectory.appending(path: "word-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: output) }  // a leftover file is harmless
    try Child("/bin/sh", ["-c", "printf '%s' \(ShellWord.quoted(word))"], output: output.path).wait()
    #expect(try String(contentsOf: output, encoding: .utf8) == word)
  }

  @Test func `a plain word is printed as it is`() {
    #expect(ShellWord.quoted("/plain/path_1.conf") == "/plain/path_1.conf")
  }
}
