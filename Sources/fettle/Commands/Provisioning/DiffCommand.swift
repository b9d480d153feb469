internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show the changes that apply would make",
    scope: .companiesOfFile,
    discussion: """
      Exit code 8 with differences, 0 without. With --prune, subjects missing in the
      file are differences too.

      Examples:
        fettle diff -f company.yaml
        fettle diff -f company.yaml --prune --output json
      """
  )

  @OptionGroup var provisioning: ProvisioningFile
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await provisioning.withPlans { _, plans, _ in
      let changes = plans.flatMap { plan in plan.steps.map { (plan.company, $0) } }
      if output.output == .table, output.isPlain {
        let text = changes.map { ChangeText.block($0, $1, on: .output) + "\n" }.joined()
        var out = BufferedOutput()
        try out.write(text)
        try out.flush()
        if changes.isEmpty { Message.tell("no difference") }
        ExtraText.tell(plans)
        for refusal in plans.flatMap(\.refusals) { Message.tell("apply is refused: \(refusal.message)") }
      } else {
        try output.print(
          Table(columns: ChangeText.columns, rows: changes.map { ChangeText.row($0, $1) })
        )
      }
      if !changes.isEmpty { throw ArgumentParser.ExitCode(Terminal.ExitCode.differences.rawValue) }
    }
  }
}
