internal import FoundationEssentials
internal import Glibc

/// The log of effects outside the database: a file to which all workers append lines, one write per line.
struct OutsideLog: Sendable {
  let path: String
  private let file: Int32

  init(path: String) throws {
    self.path = path
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw ChaosError(description: "cannot open \(path)") }
  }

  /// Logs the start of an attempt.
  func begin(_ job: UUID, attempt: Int) { say("begin \(job.uuidString.lowercased()) \(attempt)\n") }

  /// Logs an effect outside the database.
  ///
  /// - Parameter key: the idempotency key of the effect.
  func act(_ job: UUID, key: String) { say("act \(job.uuidString.lowercased()) \(key)\n") }

  private func say(_ line: String) { _ = line.withCString { write(file, $0, strlen($0)) } }
}

/// Reads the workers' log, each time from the end of the last complete line.
struct OutsideReader {
  /// The log entries of one job.
  struct Trace {
    /// The number of the last started attempt.
    var begun = 0
    /// The idempotency keys of the effects.
    var keys: Set<String> = []
    /// The number of effects.
    var acts = 0
  }

  private(set) var traces: [UUID: Trace] = [:]
  private let path: String
  private var offset = 0

  init(path: String) { self.path = path }

  /// Reads the new complete lines.
  mutating func read() throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw ChaosError(description: "cannot read \(path)") }
    defer { close(file) }
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    lseek(file, offset, SEEK_SET)
    while case let count = Glibc.read(file, &buffer, buffer.count), count > 0 { rest += buffer[..<count] }
    // The last line may be incomplete.
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
    offset += end + 1
    for line in rest[...end].split(separator: UInt8(ascii: "\n")) {
      take(String(decoding: line, as: UTF8.self))
    }
  }

  private mutating func take(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count == 3, let job = UUID(uuidString: String(words[1])) else { return }
    switch words[0] {
    case "begin": traces[job, default: Trace()].begun = max(traces[job]?.begun ?? 0, Int(words[2]) ?? 0)
    case "act":
      traces[job, default: Trace()].keys.insert(String(words[2]))
      traces[job, default: Trace()].acts += 1
    default: break
    }
  }
}

/// An error that ends the run, but violates no guarantee.
struct ChaosError: Error, CustomStringConvertible {
  let description: String
}
