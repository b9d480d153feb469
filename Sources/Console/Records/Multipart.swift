internal import API
internal import Domain
internal import FoundationEssentials
internal import Processes
internal import SystemPackage

/// Reads a form with files (RFC 7578) part by part, as it arrives.
struct Multipart {
  /// The most bytes of a request beside the files.
  static let mostOverhead = 65_536
  /// The most bytes of the header fields of a part.
  private static let longestHeader = 8_192

  /// The head of a part.
  struct Part {
    let name: String
    /// The name of the file; nil for a field.
    let fileName: String?
  }

  private let source: APIByteStream
  /// What has arrived and was not taken yet. It begins as if a line had ended, because a boundary follows a line.
  private var rest: [UInt8] = [0x0D, 0x0A]
  private let boundary: [UInt8]
  private var isInside = false
  private var hasEnded = false

  /// - Throws: `unsupported_media` for another body.
  init(_ request: APIRequest) throws {
    let type = request.headers["content-type"] ?? ""
    guard type.lowercased().hasPrefix("multipart/form-data"),
      let boundary = Self.parameter("boundary", of: type),
      (1...70).contains(boundary.utf8.count), case .stream(let stream, _) = request.body
    else { throw DomainError(.unsupportedMedia, "the body is no form with files") }
    self.boundary = Array("\r\n--\(boundary)".utf8)
    source = stream
  }

  /// Returns the head of the next part; nil after the last one.
  ///
  /// - Throws: `malformed_request`.
  mutating func next() async throws -> Part? {
    try await drain { _ in }
    guard !hasEnded else { return nil }
    if rest.count <= 2 || !rest.starts(with: boundary) {
      _ = try await take(until: boundary, most: Self.longestHeader)
    } else {
      rest.removeFirst(boundary.count)
    }
    try await fill(to: 2)
    guard !rest.starts(with: Array("--".utf8)) else {
      hasEnded = true
      return nil
    }
    let head = try await take(until: Array("\r\n\r\n".utf8), most: Self.longestHeader)
    guard let text = String(validating: head, as: UTF8.self),
      let line = text.split(separator: "\r\n").first(where: {
        $0.lowercased().hasPrefix("content-disposition:")
      }),
      let name = Self.parameter("name", of: String(line))
    else { throw Self.malformed }
    isInside = true
    return Part(name: name, fileName: Self.parameter("filename", of: String(line)))
  }

  /// Returns the bytes of the part whose head was returned last.
  ///
  /// - Throws: `payload_too_large` for more than `most` bytes; `malformed_request`; the errors of the body.
  mutating func bytes(most: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await drain { piece in
      guard bytes.count + piece.count <= most else { throw DomainError(.payloadTooLarge) }
      bytes += piece
    }
    return bytes
  }

  /// Copies the part whose head was returned last into a file without a name, so that a large one is never held in
  /// memory. The caller closes the file, which is positioned at its beginning.
  ///
  /// - Throws: `malformed_request`; the errors of the body and of the disk.
  mutating func file() async throws -> (FileDescriptor, size: Int) {
    let file = try UnnamedFile.containing([])
    do {
      var size = 0
      try await drain { piece in size += try file.writeAll(piece) }
      try file.seek(offset: 0, from: .start)
      return (file, size)
    } catch {
      try? file.close()
      throw error
    }
  }

  private static let malformed = DomainError(.malformedRequest, "the form with files cannot be read")

  /// Passes on the bytes of the part that is being read, as they arrive. The boundary behind them stays.
  private mutating func drain(_ sink: (ArraySlice<UInt8>) throws -> Void) async throws {
    guard isInside else { return }
    isInside = false
    while true {
      if let end = Self.first(boundary, in: rest, from: 0) {
        try sink(rest[..<end])
        rest.removeFirst(end)
        return
      }
      // The last bytes may be the beginning of a boundary.
      let known = max(0, rest.count - boundary.count + 1)
      try sink(rest[..<known])
      rest.removeFirst(known)
      guard let part = try await arriving() else { throw Self.malformed }
      rest += part
    }
  }

  private mutating func take(until mark: [UInt8], most: Int) async throws -> [UInt8] {
    var searched = 0
    while true {
      if let found = Self.first(mark, in: rest, from: searched) {
        let taken = Array(rest[..<found])
        rest.removeFirst(found + mark.count)
        guard taken.count <= most else { throw Self.malformed }
        return taken
      }
      searched = max(0, rest.count - mark.count + 1)
      guard searched <= most, let part = try await arriving() else { throw Self.malformed }
      rest += part
    }
  }

  private mutating func fill(to count: Int) async throws {
    while rest.count < count {
      guard let part = try await arriving() else { throw Self.malformed }
      rest += part
    }
  }

  /// Returns the next bytes of the body. All iterators of a stream go on where the last one has stopped.
  private func arriving() async throws -> [UInt8]? {
    var iterator = source.makeAsyncIterator()
    return try await iterator.next()
  }

  private static func first(_ mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard let head = mark.first, bytes.count >= mark.count else { return nil }
    var place = start
    while place <= bytes.count - mark.count {
      guard let next = bytes[place...(bytes.count - mark.count)].firstIndex(of: head) else { return nil }
      if bytes[next..<(next + mark.count)].elementsEqual(mark) { return next }
      place = next + 1
    }
    return nil
  }

  /// Returns a parameter of a header field, in quotes or without; nil if it is absent. Browsers escape quotes as `%22`.
  private static func parameter(_ name: String, of field: String) -> String? {
    var (parts, isQuoted): ([String], Bool) = ([""], false)
    for character in field {
      if character == "\"" { isQuoted.toggle() }
      if character == ";", !isQuoted { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    for part in parts.dropFirst() {
      let pair = part.trimmingSpaces()
      guard pair.lowercased().hasPrefix("\(name)=") else { continue }
      return String(pair.dropFirst(name.count + 1).filter { $0 != "\"" }).replacing("%22", with: "\"")
    }
    return nil
  }
}

extension AsyncThrowingStream<[UInt8], any Error> {
  /// Returns the rest of an open file in parts of 64 KiB.
  static func reading(_ file: FileDescriptor) -> APIByteStream {
    APIByteStream {
      let part = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      return part.isEmpty ? nil : part
    }
  }
}
