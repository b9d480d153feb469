internal import Glibc

/// What a server says about itself in `postmaster.pid`.
struct PostmasterFile: Equatable {
  /// How far the server is, from the eighth line.
  enum Phase: String { case starting, stopping, ready, standby }

  let pid: pid_t
  /// Nil in the first moments, before the server has written that line.
  let phase: Phase?

  /// Reads the file's text: one fact a line, the process id first (negative for a stand-alone backend).
  init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let pid = lines.first.flatMap({ pid_t($0) }), pid != 0 else { return nil }
    self.pid = abs(pid)
    let word = lines.count > 7 ? lines[7].split(separator: " ").first : nil
    phase = word.flatMap { Phase(rawValue: String($0)) }
  }

  static func read(_ path: String) -> PostmasterFile? {
    SystemFile.text(at: path).flatMap(PostmasterFile.init(text:))
  }
}
