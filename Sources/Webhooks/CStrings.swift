internal import Glibc

/// Swift strings as an array of C strings.
enum CStrings {
  /// Passes the strings to the body and frees them when it returns.
  static func borrow<Result>(
    _ strings: [String],
    _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) throws -> Result
  ) rethrows -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return try copies.map { UnsafePointer($0) }.withUnsafeBufferPointer(body)
  }
}
