import Foundation

/// A file that exists during a body.
package enum TemporaryFile {
  package static func with<Value>(_ text: String, _ body: (_ path: String) async throws -> Value) async throws
    -> Value
  {
    let path = NSTemporaryDirectory() + "fettle-\(UUID().uuidString)"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
  }
}
