internal import Glibc

/// A keep-alive HTTP/1.1 connection to a server on this machine. Calls block the thread; see ``Callers``.
final class LocalConnection {
  /// An answer of the server.
  struct Answer {
    let status: Int
    /// The header fields with names in lower case.
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  private let descriptor: Int32
  private let fields: String
  private let limit: Duration
  /// Bytes that were received and not used yet.
  private var buffer: [UInt8] = []
  private var chunk = [UInt8](repeating: 0, count: 65_536)

  /// Connects to a port of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - headers: header fields of every request, such as `Authorization: Bearer …`.
  ///   - limit: the longest time to wait for bytes of an answer.
  init(port: Int, headers: [String], limit: Duration = .seconds(120)) throws {
    descriptor = try Loopback.connect(port: port)
    fields = (["Host: 127.0.0.1:\(port)"] + headers).map { "\($0)\r\n" }.joined()
    self.limit = limit
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var timeout = timeval(tv_sec: Int(limit / .seconds(1)), tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { Loopback.end(descriptor) }

  /// Sends a request and reads its answer.
  ///
  /// - Throws: ``Tool/Failure`` if the connection is lost.
  func send(_ method: String, _ path: String, _ body: [UInt8]? = nil) throws -> Answer {
    var head = "\(method) \(path) HTTP/1.1\r\n\(fields)"
    if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
    try write(Array((head + "\r\n").utf8) + (body ?? []))
    return try read()
  }

  /// Sends a request, and requires a status below 400.
  func require(_ method: String, _ path: String, _ body: [UInt8]? = nil) throws -> Answer {
    let answer = try send(method, path, body)
    guard answer.status < 400 else {
      throw Tool.Failure(
        description: "\(method) \(path) was answered with \(answer.status): \(answer.text.prefix(500))"
      )
    }
    return answer
  }

  private func write(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { raw in
        raw.baseAddress.map {
          Glibc.send(descriptor, $0 + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        } ?? 0
      }
      guard count > 0 else { throw lost }
      sent += count
    }
  }

  private func read() throws -> Answer {
    var headEnd = buffer.endOfHead(from: 0)
    while headEnd == nil {
      let known = buffer.count
      try receive()
      headEnd = buffer.endOfHead(from: max(0, known - 3))
    }
    guard let headEnd else { throw lost }
    let lines = String(decoding: buffer[..<headEnd], as: UTF8.self).split(separator: "\r\n")
    buffer.removeFirst(headEnd)
    let status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    guard let status else { throw lost }
    let isChunked = headers["transfer-encoding"]?.contains("chunked") == true
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    let body = isChunked ? try chunks() : try take(status == 204 || status == 304 ? 0 : length)
    return Answer(status: status, headers: headers, body: body)
  }

  private func chunks() throws -> [UInt8] {
    var body: [UInt8] = []
    while true {
      while !buffer.contains(UInt8(ascii: "\n")) { try receive() }
      guard let end = buffer.firstIndex(of: UInt8(ascii: "\n")) else { throw lost }
      let size = String(decoding: buffer[..<end], as: UTF8.self).prefix { $0.isHexDigit }
      buffer.removeFirst(end + 1)
      guard let count = Int(size, radix: 16) else { throw lost }
      body += try take(count)
      _ = try take(2)
      if count == 0 { return body }
    }
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { try receive() }
    let taken = Array(buffer[..<count])
    buffer.removeFirst(count)
    return taken
  }

  private func receive() throws {
    let count = recv(descriptor, &chunk, chunk.count, 0)
    guard count > 0 else { throw lost }
    buffer += chunk[..<count]
  }

  private var lost: Tool.Failure {
    Tool.Failure(description: "the server closed the connection, or did not answer within \(limit)")
  }
}

extension [UInt8] {
  /// Returns the index after the empty line that ends the head of an answer; nil if it has not arrived.
  fileprivate func endOfHead(from start: Int) -> Int? {
    guard count >= 4 else { return nil }
    var index = start
    while index + 3 < count {
      if self[index] == 13, self[index + 1] == 10, self[index + 2] == 13, self[index + 3] == 10 {
        return index + 4
      }
      index += 1
    }
    return nil
  }

  /// Returns the number of places at which the bytes of a text begin.
  func occurrences(of text: StaticString) -> Int {
    let wanted = text.utf8CodeUnitCount
    guard wanted > 0, count >= wanted else { return 0 }
    return withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      var found = 0
      var index = 0
      while index + wanted <= bytes.count {
        let isHere = bytes[index] == text.utf8Start[0] && memcmp(start + index, text.utf8Start, wanted) == 0
        if isHere { found += 1 }
        index += isHere ? wanted : 1
      }
      return found
    }
  }
}
