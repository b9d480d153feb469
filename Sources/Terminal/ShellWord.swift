/// Words of commands that are printed for a shell.
package enum ShellWord {
  /// Returns a word as a shell reads it back, in quotes if it needs them.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "_-./:@=,%+".utf8.contains(byte)
      }
    }
    return isPlain && !word.isEmpty
      ? word
      : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
