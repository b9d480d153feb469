extension ManifestLint {
  /// Checks that a type's noun is its own in the app, and names only columns that lists show and creations take.
  mutating func checkCommand(of type: RecordTypeDefinition, at path: String) {
    guard let noun = type.command else { return }
    let path = "\(path).command"
    if let other = manifest.types.first(where: { $0.name != type.name && $0.command?.name == noun.name }) {
      report(.duplicateName, path, "\(other.name) has the noun \(noun.name) too", "Choose another word.")
    }
    let sorted = noun.sort.map { [$0.hasPrefix("-") ? String($0.dropFirst()) : $0] } ?? []
    for column in noun.columns + sorted + noun.filters.map(\.column) {
      look(up: column, in: type.view, at: path)
    }
    for column in noun.arguments + noun.flags.map(\.column) where !type.creatable.contains(column) {
      let meant = Suggestion.closest(to: column, among: type.creatable)
      report(
        .notEditable,
        path,
        "\(column) is not a field of \(type.name)",
        meant.map { "did you mean \($0)?" } ?? "Name a column under editable or fixed."
      )
    }
  }
}
