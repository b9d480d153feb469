internal import ArgumentParser
internal import CoreCommands
internal import Terminal

struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Generate shell completions",
    discussion: """
      The script completes names, such as those of companies, members and roles, from
      the database.

      Examples:
        source <(fettle completion bash)
        fettle completion zsh > "${fpath[1]}/_fettle"
        fettle completion fish > ~/.config/fish/completions/fettle.fish
      """
  )

  /// The supported shells.
  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish
  }

  @Argument(help: "The shell") var shell: Shell

  func run() throws {
    let script =
      switch shell {
      case .bash: Fettle.completionScript(for: .bash)
      case .zsh: Fettle.completionScript(for: .zsh)
      case .fish: FishScript.quickened(Fettle.completionScript(for: .fish))
      }
    var out = BufferedOutput()
    try out.write(script + "\n")
    try out.flush()
  }
}
