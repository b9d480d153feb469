package import Engine
internal import Mail
package import Webhooks

extension HandlerTable {
  /// Returns the engine's own handlers, for `notify.send`, `comment.tell`, `watchers.tell`, `history.seal`,
  /// `mail.digest`, `file.prepare`, `file.purge`, `sync.trim`, `company.erase`, `retention.apply` and webhook deliveries, and for `mail.send` if the worker can
  /// send mails. Otherwise mails wait for a worker that can. Apps add theirs.
  package static func engine(_ setup: HandlerSetup) -> HandlerTable {
    var table = HandlerTable()
    table.add(NotifyHandler(setup.records.catalogue))
    table.add(CommentHandler(setup.records.catalogue))
    table.add(WatcherHandler(setup.records.catalogue))
    table.add(SealHandler())
    table.add(FilePrepareHandler(setup.records, images: ImageTool()))
    table.add(FilePurgeHandler(setup.records))
    table.add(SyncTrimHandler())
    table.add(CompanyEraseHandler(setup.records, setup.ledger))
    table.add(RetentionHandler())
    table.add(WebhookHandler(setup.client, keys: setup.records.keys))
    table.add(DigestHandler())
    if let mail = setup.mail {
      table.add(MailHandler(mail.mailer(), from: mail.from, links: mail.links, keys: setup.records.keys))
    }
    return table
  }

  /// Adds the programs that an operator registered. A program replaces an earlier handler of its kind.
  ///
  /// - Parameters:
  ///   - programs: one per kind; of several for a kind, the last one is used.
  ///   - limits: the maximum time and memory for one job of any program.
  ///   - tasks: prepare the questions and use the answers of the programs of their kinds.
  ///   - policy: the addresses that programs may have.
  ///   - services: the source of the signing keys.
  package mutating func add(
    _ programs: [Program],
    limits: Program.Limits,
    tasks: [any ProgramTask],
    policy: NetworkPolicy,
    services: Services
  ) {
    for program in programs {
      add(
        ProgramHandler(
          program,
          limits: limits,
          task: tasks.first { $0.kind == program.kind },
          policy: policy,
          services: services
        )
      )
    }
  }
}
