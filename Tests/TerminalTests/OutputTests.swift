import Glibc
import Testing

@testable import Terminal

@Suite struct OutputTests {
  /// Both ends of a pipe.
  private func pipeEnds() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test func `text arrives whole and in order`() throws {
    let ends = try pipeEnds()
    defer { close(ends.read) }
    var output = BufferedOutput(descriptor: ends.write, capacity: 16)
    for number in 0..<100 {
      try output.write("\(number) ")
    }
    try output.flush()
    close(ends.write)
    let text = try SecretSource.readAll(ends.read, name: "pipe")
    #expect(text == (0..<100).map { "\($0) " }.joined())
  }

  @Test func `a closed pipe ends the output silently`() throws {
    BufferedOutput.ignoreBrokenPipes()
    let ends = try pipeEnds()
    close(ends.read)
    defer { close(ends.write) }
    var output = BufferedOutput(descriptor: ends.write)
    try output.write("nobody reads this")
    var caught: TerminalError?
    do throws(TerminalError) { try output.flush() } catch { caught = error }
    #expect(caught?.kind == .outputClosed)
    #expect(caught?.exitCode == .done)
  }

  @Test func `a full disk is an error`() throws {
    let full = open("/dev/full", O_WRONLY)
    try #require(full >= 0)
    defer { close(full) }
    var output = BufferedOutput(descriptor: full)
    try output.write("x")
    var caught: TerminalError?
    do throws(TerminalError) { try output.flush() } catch { caught = error }
    #expect(caught?.kind == .outputFailed)
    #expect(caught?.exitCode == .internalFailure)
  }

  @Test(arguments: [("s3cret", "s3cret"), ("s3cret\n", "s3cret"), ("s3cret\r\n", "s3cret"), ("s\n\n", "s\n")])
  func `a secret loses one line end`(content: String, secret: String) throws {
    let ends = try pipeEnds()
    defer { close(ends.read) }
    try BufferedOutput.writeAll(Array(content.utf8), to: ends.write)
    close(ends.write)
    #expect(try SecretSource.readAll(ends.read, name: "pipe") == secret)
  }

  @Test(arguments: [[], [0x0A], [0xFF, 0x41]] as [[UInt8]])
  func `an empty secret is an error`(content: [UInt8]) throws {
    let ends = try pipeEnds()
    defer { close(ends.read) }
    try BufferedOutput.writeAll(content, to: ends.write)
    close(ends.write)
    let error = #expect(throws: TerminalError.self) { try SecretSource.readAll(ends.read, name: "pipe") }
    #expect(error?.kind == .unreadableSecret)
    #expect(throws: TerminalError.self) { try SecretSource.file("/nowhere/at/all").read() }
  }
}
