extension NoticeTemplate {
  /// The engine's own templates, for notices about records of any type, about webhooks and about mails.
  package static let builtIn = [
    NoticeTemplate(
      name: "comment",
      title: "{author} on {record}",
      body: "{body}",
      swedish: Text(title: "{author} om {record}", body: "{body}")
    ),
    NoticeTemplate(
      name: "mention",
      title: "{author} mentioned you on {record}",
      body: "{body}",
      swedish: Text(title: "{author} nämnde dig i {record}", body: "{body}")
    ),
    NoticeTemplate(
      name: "transition",
      title: "{record} is now {status}",
      body: "{transition}, by {actor}",
      swedish: Text(title: "{record} är nu {status}", body: "{transition}, av {actor}")
    ),
    NoticeTemplate(
      name: "webhook_failing",
      title: "Deliveries to {receiver} fail and are held back",
      body: "Webhook {webhook}: {reason}",
      swedish: Text(
        title: "Leveranser till {receiver} misslyckas och hålls tillbaka",
        body: "Webhook {webhook}: {reason}"
      )
    ),
    NoticeTemplate(
      name: "webhook_undelivered",
      title: "An event was not delivered to {receiver}",
      body:
        "{event} to webhook {webhook}: {reason}. No further attempt follows; an administrator can deliver it again.",
      swedish: Text(
        title: "En händelse levererades inte till {receiver}",
        body:
          "{event} till webhook {webhook}: {reason}. Inga fler försök görs; en administratör kan leverera den igen."
      )
    ),
    NoticeTemplate(
      name: "webhook_gone",
      title: "The webhook to {receiver} was switched off",
      body: "Webhook {webhook}: {reason}. Switch it on again when the receiver is back.",
      swedish: Text(
        title: "Webhooken till {receiver} stängdes av",
        body: "Webhook {webhook}: {reason}. Slå på den igen när mottagaren är tillbaka."
      )
    ),
    NoticeTemplate(
      name: "address_refused",
      title: "Mail to {address} was refused",
      body: "{reason}. No more mails are sent to it until {name} verifies the address again.",
      swedish: Text(
        title: "E-post till {address} avvisades",
        body: "{reason}. Inga fler brev skickas dit förrän {name} bekräftar adressen igen."
      )
    ),
  ]
}
