extension NoticeTemplate {
  /// The engine's own templates, for notices about records of any type and about webhooks.
  package static let builtIn = [
    NoticeTemplate(name: "comment", title: "{author} on {record}", body: "{body}"),
    NoticeTemplate(name: "mention", title: "{author} mentioned you on {record}", body: "{body}"),
    NoticeTemplate(name: "transition", title: "{record} is now {status}", body: "{transition}, by {actor}"),
    NoticeTemplate(
      name: "webhook_failing",
      title: "Deliveries to {receiver} fail and are held back",
      body: "{reason}"
    ),
  ]
}
