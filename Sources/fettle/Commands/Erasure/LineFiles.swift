internal import Glibc
internal import Synchronization

/// Files of lines in a folder, one for each table. They come one after the other, so that one is open at a time.
final class LineFiles: Sendable {
  private let folder: String
  private let state = Mutex<(name: String, descriptor: Int32, counts: [String: Int])>(("", -1, [:]))

  init(folder: String) { self.folder = folder }

  /// Adds a line to the file of a table.
  func add(_ line: String, to table: String) throws {
    try state.withLock { state in
      let path = "\(folder)/\(table).jsonl"
      if state.name != table {
        if state.descriptor >= 0 { close(state.descriptor) }
        state.descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        state.name = table
      }
      let bytes = Array((line + "\n").utf8)
      guard state.descriptor >= 0 else { throw FileFault(path, errno: errno) }
      let written = write(state.descriptor, bytes, bytes.count)
      guard written == bytes.count else { throw FileFault(path, errno: written < 0 ? errno : ENOSPC) }
      state.counts[table, default: 0] += 1
    }
  }

  /// Closes the files, and returns the number of lines of each.
  func finish() throws -> [String: Int] {
    state.withLock { state in
      if state.descriptor >= 0 { close(state.descriptor) }
      state.descriptor = -1
      return state.counts
    }
  }
}
