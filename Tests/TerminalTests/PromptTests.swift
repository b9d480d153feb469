import Glibc
import Synchronization
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(60))) struct PromptTests {
  /// A pseudo-terminal: text written to `keyboard` is typed, and the program's output is read from it.
  private final class PseudoTerminal {
    let keyboard: Int32
    let program: Int32

    init() throws {
      // TIOCSPTLCK and TIOCGPTN are the calls behind unlockpt and ptsname, which Swift's Glibc module lacks.
      keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var (isLocked, number): (Int32, UInt32) = (0, 0)
      try #require(ioctl(keyboard, 0x4004_5431, &isLocked) == 0)
      try #require(ioctl(keyboard, 0x8004_5430, &number) == 0)
      program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
      try #require(program >= 0)
    }

    var echoes: Bool {
      var settings = termios()
      return tcgetattr(program, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Returns the output so far, up to and including the text.
    func shown(until text: String) -> String {
      var bytes: [UInt8] = []
      var byte: UInt8 = 0
      // Bytes: "\r\n" is one Character, and "\n" is not a suffix of it.
      while !bytes.reversed().starts(with: text.utf8.reversed()), read(keyboard, &byte, 1) == 1 {
        bytes.append(byte)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    func type(_ text: String) throws {
      try BufferedOutput.writeAll(Array(text.utf8), to: keyboard)
    }

    deinit {
      close(keyboard)
      close(program)
    }
  }

  /// A question on a thread of its own, since it blocks until it is answered.
  private final class Asked<Answer: Sendable>: Sendable {
    private let question: @Sendable () throws(TerminalError) -> Answer
    private let given = Mutex<Result<Answer, TerminalError>?>(nil)
    private let thread = Mutex(pthread_t())

    init(_ terminal: PseudoTerminal, _ question: @escaping @Sendable (Prompt) throws(TerminalError) -> Answer)
    {
      let prompt = Prompt(input: terminal.program, output: terminal.program)
      self.question = { () throws(TerminalError) in try question(prompt) }
      let ask: @Sendable () -> Void = { self.ask() }
      thread.withLock { thread in
        let argument = Unmanaged.passRetained(Body(ask)).toOpaque()
        _ = pthread_create(
          &thread,
          nil,
          { argument in
            guard let argument else { return nil }
            Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
            return nil
          },
          argument
        )
      }
    }

    private func ask() {
      let result: Result<Answer, TerminalError>
      do throws(TerminalError) { result = .success(try question()) } catch { result = .failure(error) }
      given.withLock { $0 = result }
    }

    /// Returns the outcome of the question after it was answered.
    func result() throws -> Result<Answer, TerminalError> {
      thread.withLock { _ = pthread_join($0, nil) }
      let given = given.withLock { $0 }
      return try #require(given)
    }
  }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  @Test func `a secret is not shown and the echo comes back`() throws {
    let terminal = try PseudoTerminal()
    let answer = Asked(terminal) { prompt throws(TerminalError) in try prompt.secret("Password") }
    let before = terminal.shown(until: "Password: ")
    #expect(!terminal.echoes)
    try terminal.type("hunter2 is short\n")
    let after = terminal.shown(until: "\n")
    #expect(try answer.result().get() == "hunter2 is short")
    #expect(!(before + after).contains("hunter2"))
    #expect(terminal.echoes)
  }

  @Test func `ctrl-c at a secret interrupts and leaves the echo on`() throws {
    let terminal = try PseudoTerminal()
    let answer = Asked(terminal) { prompt throws(TerminalError) in try prompt.secret("Password") }
    _ = terminal.shown(until: "Password: ")
    try terminal.type("abc\u{3}")
    #expect(try answer.result() == .failure(TerminalError(.interrupted, "interrupted")))
    #expect(terminal.echoes)
  }

  @Test func `a new secret is asked for until both entries agree`() throws {
    let terminal = try PseudoTerminal()
    let answer = Asked(terminal) { prompt throws(TerminalError) in try prompt.newSecret("New password") }
    for entry in ["one", "two", "three", "three"] {
      _ = terminal.shown(until: ": ")
      try terminal.type(entry + "\n")
    }
    #expect(try answer.result().get() == "three")
  }

  @Test(arguments: [("y\n", true), ("YES\n", true), ("n\n", false), ("\n", false), ("yellow\n", false)])
  func `only yes is yes`(typed: String, expected: Bool) throws {
    let terminal = try PseudoTerminal()
    let answer = Asked(terminal) { prompt throws(TerminalError) in try prompt.confirm("Erase it?") }
    _ = terminal.shown(until: "Erase it? [y/N] ")
    try terminal.type(typed)
    #expect(try answer.result().get() == expected)
  }

  @Test func `without a terminal no question is asked`() throws {
    let null = open("/dev/null", O_RDWR)
    defer { close(null) }
    let prompt = Prompt(input: null, output: null)
    #expect(try prompt.confirm("Erase it?", assumeYes: true))
    let error = #expect(throws: TerminalError.self) { try prompt.confirm("Erase it?") }
    #expect(error?.kind == .noTerminal)
    #expect(error?.hint?.contains("--yes") == true)
    #expect(throws: TerminalError.self) { try prompt.secret("Password") }
  }

  @Test func `the hidden line can be edited`() {
    var line = SecretLine()
    for byte in "abö\u{7F}c\u{8}d".utf8 {
      #expect(line.press(byte) == .typing)
    }
    #expect(line.text == "abd")
    #expect(line.press(0x15) == .typing)
    #expect(line.text.isEmpty)
    #expect(line.press(0x7F) == .typing)
    #expect(line.press(0x04) == .interrupted)
    #expect(line.press(0x0D) == .finished)
  }
}
