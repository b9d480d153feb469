-- A sequence for keys: it reveals how much other companies write, and two nodes cannot share it.
create sequence core.planted;
