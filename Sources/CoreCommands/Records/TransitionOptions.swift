package import ArgumentParser
package import Domain

/// Options of a transition. Declare them below the arguments of the command.
package struct TransitionOptions: ParsableArguments {
  @Option(help: "Comment for the history; required by some transitions")
  package var comment: String?

  @Option(help: ArgumentHelp("Expected version; any other is refused", valueName: "n"))
  package var ifVersion: Int64?

  @OptionGroup package var pairs: FieldPairs

  package init() {}

  /// Returns the record that an argument names; nil if a filter selects records and the word gives a field.
  package func record(_ word: String?, _ options: RecordOptions) -> String? {
    guard let word, !options.output.filters.isEmpty, word.contains("=") else { return word }
    return nil
  }

  /// - Parameter words: the argument for a record, if it gives a field.
  package func request(_ transition: String, _ words: [String] = []) throws -> TransitionRequest {
    TransitionRequest(
      transition,
      comment: comment,
      expectedVersion: ifVersion,
      fields: try pairs.object(words)
    )
  }
}
