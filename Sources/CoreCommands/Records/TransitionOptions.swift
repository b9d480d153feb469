package import ArgumentParser
package import Domain

/// Options of a transition.
package struct TransitionOptions: ParsableArguments {
  @Option(help: "Comment for the history; required by some transitions")
  package var comment: String?

  @Option(help: ArgumentHelp("Expected version; any other is refused", valueName: "n"))
  package var ifVersion: Int64?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Field that the transition requires, or a time that it accepts",
      valueName: "column=value"
    )
  )
  package var fields: [String] = []

  package init() {}

  package func request(_ transition: String) throws -> TransitionRequest {
    TransitionRequest(
      transition,
      comment: comment,
      expectedVersion: ifVersion,
      fields: try FieldArguments.object(fields)
    )
  }
}
