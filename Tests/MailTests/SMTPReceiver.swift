import Synchronization
import TestTools

/// A small SMTP server on 127.0.0.1 with a thread of its own. It answers commands as the test says, and keeps the
/// messages.
final class SMTPReceiver: Sendable {
  private let server: LoopbackServer
  private let book = Book()

  /// The commands so far.
  var commands: [String] { book.seen.withLock { $0.commands } }
  /// The messages as they were transferred, with dot-stuffing.
  var messages: [String] { book.seen.withLock { $0.messages } }
  var port: Int { server.port }
  var url: String { "smtp://127.0.0.1:\(port)/tests.example" }

  /// - Parameter answers: the answers to commands that begin with a word; `.` for the end of the content.
  init(_ answers: [String: String] = [:]) throws {
    let book = book
    server = try LoopbackServer { client in book.converse(client, answers) }
  }

  /// Ends the server's thread.
  func stop() { server.stop() }
}

/// What clients have sent.
private final class Book: Sendable {
  let seen = Mutex<(commands: [String], messages: [String])>(([], []))

  func converse(_ client: LoopbackConnection, _ answers: [String: String]) {
    client.send("\(answers["greeting"] ?? "220 ready")\r\n")
    var rest: [UInt8] = []
    while let line = line(&rest, from: client) {
      seen.withLock { $0.commands.append(line) }
      let word = line.prefix { $0 != " " && $0 != ":" }.uppercased()
      let answer = answers[word] ?? (word == "DATA" ? "354 go on" : word == "QUIT" ? "221 bye" : "250 fine")
      client.send("\(answer)\r\n")
      if word == "QUIT" { return }
      guard word == "DATA", answer.hasPrefix("354") else { continue }
      var content = ""
      while let line = self.line(&rest, from: client), line != "." { content += "\(line)\r\n" }
      seen.withLock { $0.messages.append(content) }
      let end = answers["."] ?? "250 2.0.0 queued as 42"
      guard end != "hang up" else { return }
      client.send("\(end)\r\n")
    }
  }

  private func line(_ rest: inout [UInt8], from client: LoopbackConnection) -> String? {
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        let line = rest[..<end].filter { $0 != 0x0D }
        rest = Array(rest[(end + 1)...])
        return String(decoding: line, as: UTF8.self)
      }
      guard let more = client.receive() else { return nil }
      rest += more
    }
  }
}
