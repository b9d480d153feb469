internal import FettleSQL

/// The manifests that the binary carries, as text.
enum SQLManifests {
  /// The app whose manifest gives a type this noun; nil if none does.
  ///
  /// It searches the text, because decoding every manifest takes longer than most commands.
  static func app(withNoun word: String) -> String? {
    guard !word.isEmpty, word.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    for file in SQLFiles.all where file.path.hasSuffix(".app.yaml") {
      let lines = file.text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
      for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("command:") {
        if line == "command: \(word)" || line.hasPrefix("command: { name: \(word),")
          || next == "name: \(word)"
        {
          return file.path.split(separator: "/").dropFirst().first.map(String.init)
        }
      }
    }
    return nil
  }
}
