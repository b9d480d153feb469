import Foundation
import Terminal
import Testing

@Suite struct ShellWordTests {
  @Test(arguments: ["/x/inst two/hö me", "cöpy 1", "it's", "", "$HOME `x` \"y\" \\", "/plain/path_1.conf"])
  func `a printed word comes back from a shell as it was`(word: String) throws {
    let shell = Process()
    let output = Pipe()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", "printf '%s' \(ShellWord.quoted(word))"]
    shell.standardOutput = output
    try shell.run()
    let read = output.fileHandleForReading.readDataToEndOfFile()
    shell.waitUntilExit()
    #expect(String(decoding: read, as: UTF8.self) == word)
  }

  @Test func `a plain word is printed as it is`() {
    #expect(ShellWord.quoted("/plain/path_1.conf") == "/plain/path_1.conf")
  }
}
