internal import CZlib

/// Compression of responses with gzip (RFC 1952), by zlib.
enum Gzip {
  /// The level with the least time; JSON shrinks to about a fifth with it too.
  private static let level: Int32 = 1
  /// The level for files that many keep for long: a fifth smaller, for a few milliseconds.
  private static let thoroughLevel: Int32 = 6
  /// A window of 32 KiB, and 16 for the header of gzip instead of zlib's.
  private static let windowBits: Int32 = 15 + 16
  private static let memoryLevel: Int32 = 8

  /// Returns the compressed bytes; nil if that fails or does not make them fewer.
  static func compressed(_ bytes: [UInt8], thoroughly: Bool = false) -> [UInt8]? {
    var stream = z_stream()
    guard
      deflateInit2_(
        &stream,
        thoroughly ? thoroughLevel : level,
        Z_DEFLATED,
        windowBits,
        memoryLevel,
        Z_DEFAULT_STRATEGY,
        ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)
      ) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    let output = [UInt8](unsafeUninitializedCapacity: bytes.count) { output, count in
      input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(output.count)
        // The output has the size of the input. If that is too small, compression does not end, and nothing is returned.
        count = deflate(&stream, Z_FINISH) == Z_STREAM_END ? output.count - Int(stream.avail_out) : 0
      }
    }
    return output.isEmpty ? nil : output
  }

  /// Returns true if a client accepts gzip, by its `Accept-Encoding` (RFC 9110, section 12.5.3).
  static func isAccepted(_ field: String?) -> Bool {
    guard let field else { return false }
    var any: Bool?
    for part in field.split(separator: ",") {
      let words = part.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
      guard let coding = words.first else { continue }
      let weight = words.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if coding == "gzip" || coding == "x-gzip" { return weight > 0 }
      if coding == "*" { any = weight > 0 }
    }
    return any ?? false
  }
}
