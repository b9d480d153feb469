extension NoticeTemplate {
  /// The engine's own templates, for notices about records of any type.
  package static let builtIn = [
    NoticeTemplate(name: "comment", title: "{author} on {record}", body: "{body}"),
    NoticeTemplate(name: "mention", title: "{author} mentioned you on {record}", body: "{body}"),
    NoticeTemplate(name: "transition", title: "{record} is now {status}", body: "{transition}, by {actor}"),
  ]
}
