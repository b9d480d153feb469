internal import Glibc

/// A program that the benchmark runs, such as pgbench or psql.
struct Tool {
  let path: String

  /// The failure of a tool or of a measurement.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs the tool and returns its standard output and standard error.
  ///
  /// - Throws: ``Failure`` with the output, if the tool does not exit with 0.
  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
    let settings = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.quoted($0.value))" }
    let line = (settings + ([path] + arguments).map(Self.quoted)).joined(separator: " ")
    guard let pipe = popen("\(line) 2>&1", "r") else { throw Failure(description: "cannot run \(path)") }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer[..<count] }
    let text = String(decoding: output, as: UTF8.self)
    guard pclose(pipe) == 0 else { throw Failure(description: "\(path) failed:\n\(text)") }
    return text
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
