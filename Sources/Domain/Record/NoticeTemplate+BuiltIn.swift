extension NoticeTemplate {
  /// The templates of the engine's own notices about records of any type.
  package static let builtIn = [
    NoticeTemplate(name: "comment", title: "{author} on {record}", body: "{body}"),
    NoticeTemplate(name: "mention", title: "{author} mentioned you on {record}", body: "{body}"),
    NoticeTemplate(name: "transition", title: "{record} is now {status}", body: "{transition}, by {actor}"),
  ]
}
