internal import Domain
package import Engine
internal import Glibc
internal import Terminal

/// The file of lines that an import did not take: line number, reason, and the line as it stood.
package struct RefusedLines {
  private let lines: [RefusedLine]

  package init(_ lines: [RefusedLine]) {
    self.lines = lines
  }

  /// Writes the file, also when there is no line to write, so that its emptiness says so.
  package func write(to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(path)) cannot be written: \(String(cString: strerror(errno)))",
        hint: "name a file in a folder that you may write to"
      )
    }
    defer { close(descriptor) }
    var out = BufferedOutput(descriptor: descriptor)
    try out.write(CSVText.line([.string("line"), .string("reason"), .string("source")]))
    for line in lines {
      try out.write(CSVText.line([.integer(line.line), .string(line.reason), .string(line.source)]))
    }
    try out.flush()
  }
}
