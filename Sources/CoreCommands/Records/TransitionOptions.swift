package import ArgumentParser
package import Domain

/// Options of a transition.
package struct TransitionOptions: ParsableArguments {
  @Option(help: "Comment for the history; some transitions require it")
  package var comment: String?

  @Option(help: ArgumentHelp("Expected version; another one is refused", valueName: "n"))
  package var ifVersion: Int64?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("A field that the transition requires", valueName: "column=value")
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
