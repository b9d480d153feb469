internal import Foundation
internal import Glibc

/// The answer to a request to a server on this machine.
package struct LoopbackAnswer: Sendable {
  package let status: Int
  /// The fields by name in lower case; of a repeated one, the last.
  package let fields: [String: String]
  package let body: [UInt8]

  /// The body as text.
  package var text: String { String(decoding: body, as: UTF8.self) }
}

extension Loopback {
  /// Sends a request to a server on 127.0.0.1, on a connection and a thread of its own, and waits for the answer.
  ///
  /// The server must answer with a length, or close the connection at the end.
  ///
  /// - Parameter host: the last number of the client's address in 127.0.0.0, for which a server counts attempts.
  package static func request(
    _ method: String,
    _ path: String,
    port: Int,
    from host: UInt8 = 1,
    fields: [String: String] = [:],
    body: [UInt8] = []
  ) async throws -> LoopbackAnswer {
    let lines = fields.map { "\($0): \($1)\r\n" }.joined()
    let head =
      "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\(lines)"
      + "Content-Length: \(body.count)\r\n\r\n"
    return try await withCheckedThrowingContinuation { continuation in
      // Not on a thread of the tests' tasks: an answer can take as long as a page takes to load.
      Thread.detachNewThread {
        continuation.resume(with: Result { try exchange(Array(head.utf8) + body, port: port, host: host) })
      }
    }
  }

  private static func exchange(_ request: [UInt8], port: Int, host: UInt8) throws -> LoopbackAnswer {
    let descriptor = try connection(to: port, from: host)
    defer { close(descriptor) }
    let connection = LoopbackConnection(descriptor: descriptor)
    guard connection.send(request) else { throw Failure(attempt: "send to port \(port)", code: errno) }
    var bytes: [UInt8] = []
    while true {
      if let answer = answer(in: bytes, isWhole: false) { return answer }
      guard let more = connection.receive() else { break }
      bytes += more
    }
    guard let answer = answer(in: bytes, isWhole: true) else {
      throw Failure(attempt: "read an answer from port \(port)", code: errno)
    }
    return answer
  }

  /// Returns the answer, if it has arrived.
  ///
  /// - Parameter isWhole: true after the end of the connection, which ends a body without a length.
  private static func answer(in bytes: [UInt8], isWhole: Bool) -> LoopbackAnswer? {
    guard let head = HTTPHead(bytes), let status = head.line.split(separator: " ").dropFirst().first else {
      return nil
    }
    let body = Array(bytes[head.end...])
    guard isWhole || head.length.map({ body.count >= $0 }) == true else { return nil }
    return LoopbackAnswer(status: Int(status) ?? 0, fields: head.fields, body: body)
  }
}
