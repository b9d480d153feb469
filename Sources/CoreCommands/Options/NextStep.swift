/// What to do after a list without results, which the program's main function finds in the tree of commands.
package enum NextStep {
  /// The advice for the running command, such as ``to add one: `fettle machine add --help` ``; nil if there is none.
  @TaskLocal package static var current: String?

  /// Returns the advice for a list, given its path and the other verbs of its noun.
  ///
  /// - Parameter path: the words of the command, such as `fettle machine list`.
  package static func after(_ path: [String], siblings: [String]) -> String? {
    let verbs = [
      "add", "create", "invite", "define", "grant", "install", "enqueue", "put", "set", "save", "limit",
    ]
    if path.suffix(2) == ["import", "list"] { return "to import a file: `fettle record import file --help`" }
    if path.suffix(2) == ["inbox", "list"] {
      return "to choose what a member is told: `fettle inbox preferences --help`"
    }
    guard let verb = verbs.first(where: siblings.contains) else { return nil }
    return "to \(verb) one: `\((path.dropLast() + [verb]).joined(separator: " ")) --help`"
  }
}
