internal import Glibc

/// The source of a secret. The command line is not one, because every process on the machine can read it.
package enum SecretSource: Sendable, Equatable {
  /// Standard input, up to its end.
  case standardInput
  /// The file at a path.
  case file(String)
  /// A prompt at the terminal, with a question.
  case prompt(String)

  /// The maximum length of a secret in bytes.
  private static let limit = 64 * 1024

  /// Returns the secret, without a trailing line feed, carriage return, or both.
  ///
  /// - Throws: `unreadable_secret` if a file or standard input is unreadable, empty, longer than 64 KiB or
  ///   not UTF-8; the errors of ``Prompt/secret(_:)`` for a prompt.
  package func read() throws(TerminalError) -> String {
    switch self {
    case .standardInput: return try Self.readAll(0, name: "standard input")
    case .prompt(let question): return try Prompt().secret(question)
    case .file(let path):
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw TerminalError(.unreadableSecret, "cannot read \(path): \(String(cString: strerror(errno)))")
      }
      defer { close(descriptor) }
      return try Self.readAll(descriptor, name: path)
    }
  }

  static func readAll(_ descriptor: Int32, name: String) throws(TerminalError) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw TerminalError(.unreadableSecret, "cannot read \(name): \(String(cString: strerror(errno)))")
      }
      bytes += buffer[..<count]
      guard bytes.count <= limit else {
        throw TerminalError(.unreadableSecret, "\(name) is longer than 64 KiB, too long for a secret")
      }
    }
    if bytes.last == 0x0A { bytes.removeLast() }
    if bytes.last == 0x0D { bytes.removeLast() }
    guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
      let fault = bytes.isEmpty ? "is empty" : "is not UTF-8 text"
      throw TerminalError(
        .unreadableSecret,
        "\(name) \(fault)",
        hint: "provide the secret as UTF-8 text, and nothing else"
      )
    }
    return text
  }
}
