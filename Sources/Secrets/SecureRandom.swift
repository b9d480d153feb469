/// Random bytes for keys and tokens, from the standard library's secure generator.
package enum SecureRandom {
  /// Returns `count` random bytes. They come from `getrandom(2)` on Linux, which blocks only until the
  /// kernel's pool is first seeded.
  package static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
    return Array(bytes.prefix(count))
  }
}
