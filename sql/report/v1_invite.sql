-- Invitations with their status; only an active one can be redeemed.
-- columns: company_id uuid, company text, role text, hint text, email text, status text, used integer,
--   max_uses integer, created_at timestamp with time zone, expires_at timestamp with time zone,
--   created_by text
create view report.v1_invite with (security_invoker = true, security_barrier = true) as
select
  i.company_id,
  c.slug as company,
  i.role,
  i.hint,
  i.email_key as email,
  case
    when i.revoked_at is not null then 'revoked'
    when i.used >= i.max_uses then 'exhausted'
    when i.expires_at <= now() then 'expired'
    else 'active'
  end as status,
  i.used,
  i.max_uses,
  i.created_at,
  i.expires_at,
  u.name as created_by
from core.invite i
join core.company c on c.id = i.company_id
left join core.app_user u on u.id = i.created_by;

comment on column report.v1_invite.company_id is 'The company.';
comment on column report.v1_invite.company is 'Short name of the company.';
comment on column report.v1_invite.role is 'Role that the invited person gets.';
comment on column report.v1_invite.hint is 'Last characters of the code.';
comment on column report.v1_invite.email is
  'The only e-mail address that may redeem the code; null for any address.';
comment on column report.v1_invite.status is 'Status: active, exhausted, expired or revoked.';
comment on column report.v1_invite.used is 'Number of redemptions.';
comment on column report.v1_invite.max_uses is 'Maximum number of redemptions.';
comment on column report.v1_invite.created_at is 'Time of creation.';
comment on column report.v1_invite.expires_at is 'Time of expiry.';
comment on column report.v1_invite.created_by is 'Name of the inviter; null for an operator.';
