internal import FoundationEssentials
internal import Glibc

/// What happened outside the database: a file to which all workers add lines, each with one write.
struct OutsideLog: Sendable {
  let path: String
  private let file: Int32

  init(path: String) throws {
    self.path = path
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw ChaosError(description: "cannot open \(path)") }
  }

  /// Says that an attempt at a job begins.
  func begin(_ job: UUID, attempt: Int) { say("begin \(job.uuidString.lowercased()) \(attempt)\n") }

  /// Takes effect where no transaction takes it back.
  func act(_ job: UUID, key: String) { say("act \(job.uuidString.lowercased()) \(key)\n") }

  private func say(_ line: String) { _ = line.withCString { write(file, $0, strlen($0)) } }
}

/// Reads what workers wrote, from where it stopped the last time.
struct OutsideReader {
  /// What was seen of one job.
  struct Trace {
    /// The highest attempt that was begun.
    var begun = 0
    /// The idempotency keys that its effects carried.
    var keys: Set<String> = []
    /// How often it took effect.
    var acts = 0
  }

  private(set) var traces: [UUID: Trace] = [:]
  private let path: String
  private var offset = 0

  init(path: String) { self.path = path }

  /// Reads on.
  mutating func read() throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw ChaosError(description: "cannot read \(path)") }
    defer { close(file) }
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    lseek(file, offset, SEEK_SET)
    while case let count = Glibc.read(file, &buffer, buffer.count), count > 0 { rest += buffer[..<count] }
    // The last line may not be there to its end.
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

/// Why the run cannot go on.
struct ChaosError: Error, CustomStringConvertible {
  let description: String
}
