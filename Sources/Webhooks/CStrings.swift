internal import Glibc

/// Lends Swift strings to C functions as an array of C strings.
enum CStrings {
  /// Calls the body with copies of the strings, and frees them when the body returns.
  static func borrow<Result>(
    _ strings: [String],
    _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) throws -> Result
  ) rethrows -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return try copies.map { UnsafePointer($0) }.withUnsafeBufferPointer(body)
  }
}
