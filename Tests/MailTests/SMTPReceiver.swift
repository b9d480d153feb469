import Glibc
import Synchronization

/// A small SMTP server on 127.0.0.1 with a thread of its own. It answers commands as the test says, and keeps the
/// messages.
final class SMTPReceiver: Sendable {
  let port: UInt16
  private let listener: Int32
  private let answers: [String: String]
  private let seen = Mutex<(commands: [String], messages: [String])>(([], []))

  /// The commands so far.
  var commands: [String] { seen.withLock { $0.commands } }
  /// The messages as they were transferred, with dot-stuffing.
  var messages: [String] { seen.withLock { $0.messages } }
  var url: String { "smtp://127.0.0.1:\(port)/tests.example" }

  /// - Parameter answers: the answers to commands that begin with a word; `.` for the end of the content.
  init(_ answers: [String: String] = [:]) {
    self.answers = answers
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        precondition(bind(listener, pointer, length) == 0 && listen(listener, 16) == 0)
        precondition(getsockname(listener, pointer, &length) == 0)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    let retained = Unmanaged.passRetained(self)
    var thread = pthread_t()
    pthread_create(
      &thread,
      nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<SMTPReceiver>.fromOpaque(argument).takeRetainedValue().serve()
        return nil
      },
      retained.toOpaque()
    )
    pthread_detach(thread)
  }

  /// Ends the server's thread.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      converse(client)
      close(client)
    }
    close(listener)
  }

  private func converse(_ client: Int32) {
    send("\(answers["greeting"] ?? "220 ready")\r\n", to: client)
    var rest: [UInt8] = []
    while let line = line(&rest, from: client) {
      seen.withLock { $0.commands.append(line) }
      let word = line.prefix { $0 != " " && $0 != ":" }.uppercased()
      let answer = answers[word] ?? (word == "DATA" ? "354 go on" : word == "QUIT" ? "221 bye" : "250 fine")
      send("\(answer)\r\n", to: client)
      if word == "QUIT" { return }
      guard word == "DATA", answer.hasPrefix("354") else { continue }
      var content = ""
      while let line = self.line(&rest, from: client), line != "." { content += "\(line)\r\n" }
      seen.withLock { $0.messages.append(content) }
      let end = answers["."] ?? "250 2.0.0 queued as 42"
      guard end != "hang up" else { return }
      send("\(end)\r\n", to: client)
    }
  }

  private func line(_ rest: inout [UInt8], from client: Int32) -> String? {
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        let line = rest[..<end].filter { $0 != 0x0D }
        rest = Array(rest[(end + 1)...])
        return String(decoding: line, as: UTF8.self)
      }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      rest += buffer[..<count]
    }
  }

  private func send(_ text: String, to client: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
